/** Messages of hosted services that are no alerts, such as starts, announcements and runs in progress. */
import type { Notice } from "./notices.ts";

const EVENTBRIDGE = {
  name: "Amazon EventBridge",
  marks: ["detailtype", "source", "detail", "account"],
  what: "detailtype",
} as const;

export const SERVICE_NOTICES: readonly Notice[] = [
  {
    // Builds, pipelines and jobs that have not ended or were cancelled; the status of a Glue job that runs is sent if it is late.
    ...EVENTBRIDGE,
    where: {
      detailtype: /^(?!Glue Job Run Status$)/,
      source: /^aws\.(codebuild|codepipeline|batch|glue|backup)$/,
      "detail.buildstatus|detail.state|detail.status":
        /^(in_progress|created|submitted|pending|runnable|start(ed|ing)|running|resumed|superseded|stopp(ed|ing)|cancell?ed)$/i,
    },
  },
  {
    ...EVENTBRIDGE,
    where: { detailtype: /^EC2 Instance State-change Notification$/, "detail.state": /^pending$/ },
  },
  {
    ...EVENTBRIDGE,
    where: {
      detailtype: /^CloudWatch Alarm Configuration Change$/,
      "detail.operation": /^(?!delete$)/,
    },
  },
  {
    // Scheduled maintenance.
    name: "Statuspage or its like",
    marks: ["page.id", "incident.status|maintenance.status"],
    where: { "incident.status|maintenance.status": /^(scheduled|not_?started_?yet)$/i },
    what: "incident.name|maintenance.name",
  },
  {
    name: "dbt",
    marks: ["eventtype", "data.jobid", "data.runid", "data.runstatus"],
    where: { eventtype: /^job\.run\./, "data.runstatus": /^(?!(success|error(ed)?|failed)$)/i },
    what: "eventtype",
  },
  {
    name: "Fivetran",
    marks: ["event", "connectorid", "connectortype"],
    where: { "data.status|status": /^(?!(successful|fail(ed|ure\w*))$)/i },
    what: "event",
  },
  {
    name: "Databricks",
    marks: ["eventtype", "workspaceid", "job.jobid", "run.runid"],
    where: { eventtype: /^jobs\.on_(?!(failure|success|\w+_exceeded)$)/ },
    what: "eventtype",
  },
  {
    // What people do about an alert; acknowledged and resolved are its states.
    name: "Grafana OnCall",
    marks: ["alertgroupid", "alertgroup.title", "event.type"],
    where: { "event.type": /^(un)?silence$|^unacknowledge$/i },
    what: "event.type",
  },
  {
    name: "Bugsnag",
    marks: ["trigger.type", "project.name"],
    where: { "trigger.type": /^(release|comment)$/ },
    what: "trigger.message",
  },
  {
    name: "Dead Man's Snitch",
    marks: ["type", "data.snitch.token"],
    where: { type: /^snitch\.paused$/ },
    what: "data.snitch.name",
  },
  {
    name: "AppSignal",
    marks: ["marker.site", "marker.revision"],
    where: {},
    what: "marker.revision",
  },
  {
    name: "Rootly",
    marks: ["event.type", "event.issuedat", "data.id"],
    where: { "event.type": /^(genius_workflow_run|pulse|incident_post_mortem|incident\.scheduled)\./ },
    what: "event.type",
  },
  {
    name: "incident.io",
    marks: ["eventtype"],
    where: {
      eventtype:
        /^(public|private)_(incident\.(follow_up|action|postmortem|membership)|escalation\.escalation)_/,
    },
    what: "eventtype",
  },
  {
    // New and deleted nodes and users, and messages about the webhook itself.
    name: "Tailscale",
    marks: ["tailnet", "type", "message", "version"],
    where: { type: /^(test|webhook(Updated|Deleted)|(node|user)(Created|Deleted)|userRestored)$/ },
    what: "message",
  },
  {
    name: "PlanetScale",
    marks: ["event", "organization", "database", "resource"],
    where: {
      event:
        /^(webhook\.test|database\.access_request|backup\.succeeded|branch\.(?!(anomaly|out_of_memory)$)|deploy_request\.(?!errored$))/,
    },
    what: "event",
  },
  {
    name: "Icinga",
    marks: ["contact", "object.name", "incident.id", "event.type"],
    where: {
      "event.type": /^(downtime-|flapping-|(un)?mute$|custom$|acknowledgement-cleared$|incident-age$)/,
    },
    what: "event.type",
  },
  {
    // Jobs in progress or cancelled.
    name: "Rubrik",
    marks: ["summary", "severity", "customdetails.seriesid", "customdetails.status"],
    where: { "customdetails.status": /^(queued|running|cancell?(ing|ed))$/i },
    what: "summary",
  },
  {
    name: "Railway",
    marks: ["type", "details", "resource.project.id"],
    where: { type: /^deployment\.(?!(failed|crashed|oom_?killed|deployed|redeployed)$)/i },
    what: "type",
  },
  {
    // A run is reported at every change of state.
    name: "Spacelift",
    marks: ["account", "state", "stateversion", "run.id", "stack.id"],
    where: { state: /^(?!(FAILED|FINISHED)$)/ },
    what: "state",
  },
  {
    name: "Expo",
    marks: ["accountname", "projectname", "platform", "status", "appid"],
    where: { status: /^(?!(errored|finished)$)/ },
    what: "status",
  },
  {
    name: "Cloud Build",
    marks: ["id", "projectid", "status", "createtime", "logurl"],
    where: { status: /^(status_unknown|pending|queued|working|cancelled)$/i },
    what: "status",
  },
  {
    // Pushes, and builds that were queued, started or cancelled.
    name: "Quay",
    marks: ["repository", "namespace", "dockerurl", "updatedtags|buildid"],
    where: { "errormessage|imageid|manifestdigests|vulnerability": /^$/ },
    what: "dockerurl",
  },
  {
    // Sent after every scan, whether or not it found something.
    name: "Semgrep",
    marks: ["semgrepscan.id"],
    where: {},
    what: "semgrepscan.repository",
  },
  {
    name: "Coroot",
    marks: ["status", "application", "version", "summary", "url"],
    where: { status: /^(deployed|in-progress|cancelled)$/i, application: /^[^:]*:[^:]+:[^:]/ },
    what: "status",
  },
  {
    // Instances that were started or stopped, and the test of the topic.
    name: "AWS Auto Scaling",
    marks: ["service", "event", "autoscalinggroupname", "accountid"],
    where: { event: /^autoscaling:(?!EC2_INSTANCE_(LAUNCH|TERMINATE)_ERROR$)/ },
    what: "event",
  },
  {
    name: "Azure Monitor",
    marks: ["status", "operation", "context.resourcename", "context.newcapacity"],
    where: { operation: /^scale (out|in|up|down)$/i },
    what: "context.details",
  },
  {
    name: "Kopia",
    marks: ["message", "kopiaversion", "kopiarepo", "hostname"],
    where: {},
    what: "message",
  },
  {
    name: "Cronicle",
    marks: ["action", "event", "eventtitle"],
    where: { action: /^job_start$/ },
    what: "action",
  },
  {
    // Stacks that come and go, and deployments that have not ended.
    name: "Pulumi",
    marks: ["organization.githublogin", "projectname", "stackname", "action|deploymenturl"],
    where: { status: /^(?!(failed|succeeded)$)/ },
    what: "action|status",
  },
  {
    // Announced maintenance of a service.
    name: "StatusGator",
    marks: ["servicename", "currentstatus", "laststatus", "statuspageurl"],
    where: { currentstatus: /^maintenance$/ },
    what: "servicename",
  },
  {
    name: "Canarytokens",
    marks: ["memo", "manageurl", "channel", "time"],
    where: { memo: /^Congrats! The newly saved webhook works$/ },
    what: "memo",
  },
  {
    // Everything else of its event log.
    name: "Suricata",
    marks: ["eventtype", "timestamp", "srcip", "destip", "proto", "flowid"],
    where: { eventtype: /^(?!alert$)/ },
    what: "eventtype",
  },
  {
    name: "Moira",
    marks: ["trigger", "event.metric", "event.state", "event.oldstate"],
    where: { "event.state": /^TEST$/ },
    what: "event.metric",
  },
  {
    name: "Omada",
    marks: ["description", "shardsecret"],
    where: { description: /^This is a webhook test message/ },
    what: "description",
  },
  {
    // A build that has only started, and one that was skipped, retried or cancelled.
    name: "Buildbot",
    marks: ["buildid", "builderid", "complete", "results", "statestring", "builder.name"],
    where: { results: /^(?![0124]$)/ },
    what: "statestring",
  },
  {
    name: "Airweave",
    marks: ["eventtype", "jobid", "collectionreadableid", "sourceconnectionid", "status"],
    where: { eventtype: /^sync\.(?!(failed|completed)$)/ },
    what: "eventtype",
  },
  {
    name: "Testkube",
    marks: ["type", "resourceid", "testworkflowexecution.workflow.name"],
    where: { type: /^(?!end-testworkflow-(failed|success)$)/ },
    what: "type",
  },
  {
    // Tests, codes that confirm an address, and who is on call; other programs have such names and types, and say more.
    name: "GoAlert",
    marks: ["appname", "type"],
    where: {
      type: /^(Test|Verification|ScheduleOnCallUsers)$/,
      "message|summary|description|details|text|severity": /^$/,
    },
    what: "type",
  },
  {
    name: "Better Stack",
    marks: ["eventtype", "page.statusindicator", "page.statusdescription", "meta.unsubscribe"],
    where: { eventtype: /^(?!incident$)/ },
    what: "eventtype",
  },
  {
    // Components, metrics and subscribers of a status page.
    name: "Cachet",
    marks: ["event", "createdat", "data.resource", "data.id", "data.attributes"],
    where: {
      event: /^(component|metric|subscriber)_\w+$/,
      "data.resource": /^(component|metric|metric_point|subscriber)$/,
    },
    what: "event",
  },
  {
    // The rule was edited meanwhile; another message says how it is now.
    name: "Dash0",
    marks: ["type", "data.issue.issueidentifier"],
    where: { type: /^alert\.superseded$/ },
    what: "type",
  },
  {
    name: "Harness",
    marks: ["eventdata.eventtype", "eventdata.pipelineidentifier", "eventdata.projectidentifier"],
    where: { "eventdata.eventtype": /^(?!((Pipeline|Stage)(Failed|Success)|StepFailed|TriggerFailed)$)/ },
    what: "eventdata.eventtype",
  },
];
