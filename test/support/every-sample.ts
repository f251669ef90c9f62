/** The messages of all tools whose webhooks are read, by what the tools do. */
import { AZURE_SAMPLES } from "./azure-samples.ts";
import { BUILD_SAMPLES } from "./build-samples.ts";
import { CLOUD_SAMPLES } from "./cloud-samples.ts";
import { CODE_SAMPLES } from "./code-samples.ts";
import { FURTHER_SAMPLES } from "./further-samples.ts";
import { GUARD_SAMPLES } from "./guard-samples.ts";
import { PLATFORM_SAMPLES } from "./platform-samples.ts";
import { RESPONDER_SAMPLES } from "./responder-samples.ts";
import { RUN_SAMPLES } from "./run-samples.ts";
import { SEARCH_SAMPLES } from "./search-samples.ts";
import { SENDER_SAMPLES } from "./sender-samples.ts";
import { SERVICE_SAMPLES } from "./service-samples.ts";
import { STORE_SAMPLES } from "./store-samples.ts";
import { type ToolSample, WATCHER_SAMPLES } from "./tool-samples.ts";

export const TOOL_SAMPLES: readonly (readonly [group: string, samples: readonly ToolSample[]])[] = [
  ["tools that monitor hosts and sites", WATCHER_SAMPLES],
  ["clouds and services that forward alerts", CLOUD_SAMPLES],
  ["Azure alerts and resource health", AZURE_SAMPLES],
  ["tools that monitor applications and clusters from inside", PLATFORM_SAMPLES],
  ["services that monitor code, clusters and logs", CODE_SAMPLES],
  ["services that monitor sites and jobs or forward alerts", SERVICE_SAMPLES],
  ["webhooks written for another alert service", SENDER_SAMPLES],
  ["services that build, analyze and deploy code", BUILD_SAMPLES],
  ["scanners, networks, clouds and home servers", GUARD_SAMPLES],
  ["services for search, data transfer and monitoring", SEARCH_SAMPLES],
  ["incident response services and what sends to them", RESPONDER_SAMPLES],
  ["databases, backups, storage, and more tools that monitor clusters", STORE_SAMPLES],
  ["services for deployment, builds and backups, cost budgets and inventory checks", RUN_SAMPLES],
  ["data pipelines, tests, status pages and senders for other services", FURTHER_SAMPLES],
];
