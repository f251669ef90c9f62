/** Payloads sent through Amazon SNS: CloudWatch, EventBridge, subscription confirmations and plain text. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf, alertIn } = readsAlerts(() => world);

describe("Amazon SNS", () => {
  const TOPIC = "arn:aws:sns:eu-central-1:123456789012:alarms";
  let count = 0;
  const notify = (more: Record<string, unknown>) => {
    const body = {
      Type: "Notification",
      MessageId: `message-${++count}`,
      TopicArn: TOPIC,
      Subject: "ALARM",
      Timestamp: "2026-05-01T10:00:01.000Z",
      SignatureVersion: "1",
      Signature: "EXAMPLE",
      SigningCertURL:
        "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0000000000000000000000.pem",
      UnsubscribeURL: "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe",
      ...more,
    };
    return source.sendBytes(JSON.stringify(body), {
      "content-type": "text/plain; charset=UTF-8",
      "x-amz-sns-message-type": String(body.Type),
      "x-amz-sns-topic-arn": TOPIC,
      "user-agent": "Amazon Simple Notification Service Agent",
    });
  };
  const alarm = (more: Record<string, unknown> = {}) => ({
    AlarmName: "queue-depth",
    AlarmDescription: "The queue grows",
    AWSAccountId: "123456789012",
    NewStateValue: "ALARM",
    NewStateReason: "Threshold Crossed: 1 datapoint [612.0] was greater than the threshold (500.0).",
    StateChangeTime: "2026-05-01T10:00:00.000+0000",
    Region: "EU (Frankfurt)",
    AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:queue-depth",
    OldStateValue: "OK",
    Trigger: {
      MetricName: "ApproximateNumberOfMessagesVisible",
      Namespace: "AWS/SQS",
      Dimensions: [{ name: "InstanceId", value: "i-0123" }],
    },
    ...more,
  });

  test("a CloudWatch alarm opens an alert and OK resolves it; the receipt warns that the SNS signature is not checked (reference alerts E10; decision 0089)", async () => {
    const first = await notify({ Message: JSON.stringify(alarm()) });
    assert.equal(first.status, 200);
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.description, opened.service, opened.hosts, opened.monitoring_tool],
      ["queue-depth", "The queue grows", "AWS/SQS", ["i-0123"], "Amazon CloudWatch"],
    );
    assert.equal(opened.started_at, "2026-05-01T10:00:00.000Z");
    assert.match((await receiptOf(first)).warnings[0], /signature .* is not checked/);
    await notify({ Message: JSON.stringify(alarm()) });
    await notify({
      Message: JSON.stringify(
        alarm({ NewStateValue: "OK", StateChangeTime: "2026-05-01T10:30:00.000+0000" }),
      ),
    });
    const resolved = await alertOf(opened.iid);
    assert.deepEqual(
      [resolved.status, resolved.ended_at, resolved.events],
      ["resolved", "2026-05-01T10:30:00.000Z", 1],
    );
  });

  test("notifications that a relay collects into a list are read as if sent alone, each counted once (decisions 0089, 0187, 0254)", async () => {
    const within = (MessageId: string, change: Record<string, unknown>) => ({
      ...{ Type: "Notification", MessageId, TopicArn: TOPIC, Subject: "ALARM" },
      Message: JSON.stringify(alarm({ AlarmArn: "arn:aws:cloudwatch:x:alarm:listed", ...change })),
    });
    const raw = alarm({ AlarmName: "raw-depth", AlarmArn: "arn:aws:cloudwatch:x:alarm:raw-listed" });
    const opened = await source.send([within("listed-1", { AlarmName: "listed" }), raw]);
    assert.deepEqual(
      opened.json.map(({ title }: { title: string }) => title),
      ["listed", "raw-depth"],
    );
    const [{ iid }] = opened.json;
    const repeated = { AlarmName: "listed", StateChangeTime: "2026-05-01T10:05:00.000+0000" };
    await source.send([within("listed-1", repeated), { title: "Beside it" }]);
    assert.equal((await alertOf(iid)).events, 1);
    const ok = { NewStateValue: "OK", StateChangeTime: "2026-05-01T10:30:00.000+0000" };
    await source.send([within("listed-2", ok), { ...raw, ...ok }]);
    const { status, ended_at } = await alertOf(iid);
    assert.deepEqual([status, ended_at], ["resolved", "2026-05-01T10:30:00.000Z"]);
    assert.equal((await alertOf(opened.json[1].iid)).status, "resolved");
  });

  test("notifications without a MessageId are messages of their own, in a list and alone (decisions 0089, 0254)", async () => {
    const unnamed = (Message: string, more: object = {}) => ({
      ...{ Type: "Notification", TopicArn: "arn:aws:sns:eu-central-1:1:unnamed", Message, ...more },
    });
    const listed = await source.send([
      unnamed("disk full"),
      unnamed("db down"),
      unnamed("fan stands", { MessageId: " " }),
      unnamed("door open", { MessageId: " " }),
    ]);
    assert.deepEqual(
      listed.json.map(({ title }: { title: string }) => title),
      ["disk full", "db down", "fan stands", "door open"],
    );
    for (const title of ["no light", "no water"]) {
      assert.deepEqual((await source.send(unnamed(title))).json[0]?.title, title);
    }
    assert.deepEqual((await source.send(unnamed("no water"))).json[0]?.title, "no water");
  });

  test("an alarm delivered raw is read too, and INSUFFICIENT_DATA has severity unknown (decision 0089)", async () => {
    const reply = await source.sendBytes(
      JSON.stringify(
        alarm({ NewStateValue: "INSUFFICIENT_DATA", AlarmArn: "arn:aws:cloudwatch:x:alarm:raw" }),
      ),
      { "content-type": "application/json" },
    );
    assert.equal((await alertIn(reply)).severity, "unknown");
  });

  test("a subscription confirmation is recorded with the URL to open, with a warning if that is not Amazon's (reference alerts D26; decision 0089)", async () => {
    const link = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc";
    const asked = await notify({
      Type: "SubscriptionConfirmation",
      Message: "You have chosen to subscribe",
      Token: "abc",
      SubscribeURL: link,
    });
    assert.deepEqual([asked.status, asked.json], [200, []]);
    const receipt = await receiptOf(asked);
    assert.equal(receipt.decision, "nothing");
    assert.ok(receipt.warnings[0].endsWith(link));
    for (const SubscribeURL of [
      `${world.url}/`,
      "http://sns.eu-central-1.amazonaws.com/",
      "https://sns.eu-central-1.amazonaws.com.evil.example/",
      "https://user@evil.example/sns.eu-central-1.amazonaws.com",
      5,
    ]) {
      const { warnings } = await receiptOf(await notify({ Type: "SubscriptionConfirmation", SubscribeURL }));
      assert.match(warnings[0], /not Amazon's\. Do not open it\.$/);
    }
  });

  test("an RDS event names database and event in its title, and repeats of the same event are one alert (decision 0124)", async () => {
    const event = (at: string, source = "orders") => ({
      ...{ "Event Source": "db-instance", "Event Time": at, "Source ID": source },
      "Identifier Link": "https://console.aws.amazon.com/rds/home#dbinstance:id=orders",
      "Event ID":
        "http://docs.amazonwebservices.com/AmazonRDS/latest/UserGuide/USER_Events.html#RDS-EVENT-0006",
      "Event Message": "DB instance restarted",
    });
    const send = (message: object) =>
      notify({ Subject: "RDS Notification Message", Message: JSON.stringify(message) });
    const first = await alertIn(await send(event("2026-05-01 10:00:00.000")));
    const { title, service, hosts, monitoring_tool, started_at } = first;
    assert.deepEqual(
      [title, service, hosts, monitoring_tool, started_at],
      [
        ...["orders: DB instance restarted", "db-instance", ["orders"], "Amazon RDS"],
        "2026-05-01T10:00:00.000Z",
      ],
    );
    assert.equal((await alertIn(await send(event("2026-05-01 11:00:00.000")))).iid, first.iid);
    assert.notEqual((await alertIn(await send(event("2026-05-01 11:00:00.000", "users")))).iid, first.iid);
  });

  test("a redelivered SNS message counts once, and plain text becomes title and description (decision 0089)", async () => {
    const message = {
      MessageId: "the-same",
      Subject: "Backup failed",
      Message: "Night of 1 May\nNo space left",
    };
    const first = await notify(message);
    await notify(message);
    const alert = await alertIn(first);
    assert.deepEqual(
      [alert.title, alert.description, alert.events],
      ["Backup failed", "Night of 1 May\nNo space left", 1],
    );
    await notify({ ...message, MessageId: "another" });
    assert.equal((await alertOf(alert.iid)).events, 2);
  });
});

describe("Amazon EventBridge through Amazon SNS", () => {
  test("an EventBridge event inside a notification is read like a direct one, and a success resolves its failure (decisions 0089, 0124)", async () => {
    const pipeline = (state: string, id: string) =>
      source.sendBytes(
        JSON.stringify({
          ...{ Type: "Notification", MessageId: id, TopicArn: "arn:aws:sns:eu-central-1:1:builds" },
          ...{ Subject: "AWS Notification Message", Timestamp: "2026-05-01T10:00:01.000Z" },
          Message: JSON.stringify({
            ...{ version: "0", id, "detail-type": "CodePipeline Pipeline Execution State Change" },
            ...{ source: "aws.codepipeline", account: "1", time: "2026-05-01T10:00:00Z" },
            ...{ region: "eu-central-1", resources: ["arn:aws:codepipeline:eu-central-1:1:rocket"] },
            detail: { pipeline: "rocket", state, "execution-id": id },
          }),
        }),
        { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
      );
    const failed = await alertIn(await pipeline("FAILED", "e-1"));
    assert.deepEqual(
      [failed.title, failed.monitoring_tool, failed.service, failed.started_at],
      [
        "CodePipeline Pipeline Execution State Change",
        "Amazon EventBridge",
        "aws.codepipeline",
        "2026-05-01T10:00:00.000Z",
      ],
    );
    await pipeline("SUCCEEDED", "e-2");
    assert.equal((await alertOf(failed.iid)).status, "resolved");
  });

  test("a tool's message about something else than an alert opens none through SNS either (decisions 0089, 0124)", async () => {
    const reply = await source.sendBytes(
      JSON.stringify({
        ...{ Type: "Notification", MessageId: "n-1", TopicArn: "arn:aws:sns:eu-central-1:1:nagios" },
        Message: JSON.stringify({ NOTIFICATIONTYPE: "DOWNTIMESTART", HOSTNAME: "db-1", HOSTSTATE: "UP" }),
      }),
      { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
    );
    assert.deepEqual([reply.status, reply.json], [200, []]);
    const { decision, warnings } = await receiptOf(reply);
    assert.equal(decision, "nothing");
    assert.match(warnings.join(" "), /tells of something that is no alert: DOWNTIMESTART/);
  });
});
