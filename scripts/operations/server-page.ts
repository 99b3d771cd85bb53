/** docs/server.md as text: how to run `ferrybot serve`: settings, systemd, a container, several servers, metrics. */

import type { Registry } from 'prom-client';
import { createMetrics, REQUESTS_AT_ONCE_MAX } from '../../src/app/server/metrics.ts';
import { STOP_PATIENCE_MS, SWEEP_PERIOD_MS, WORKERS, WORKERS_MAX } from '../../src/app/server/serve-options.ts';
import { table } from './operations-page.ts';

const minutes = (durationMs: number): number => Math.round(durationMs / 60_000);
const seconds = (durationMs: number): number => Math.round(durationMs / 1_000);

const SETTINGS = `# Run the server

<!-- Made by scripts/operations-docs.ts from scripts/operations; a test holds it against them. -->

\`ferrybot serve\` is one process without a database. It reads its settings from the environment:

| variable | default | meaning |
|---|---|---|
| \`APP_ID\`, \`PRIVATE_KEY\`, \`WEBHOOK_SECRET\` | required | the App, as \`init --app\` writes them. \`\\n\` in the key stands for a line break |
| \`FERRYBOT_CONTROL_KEY\` | none | the key that signs the decisions of control |
| \`FERRYBOT_WORK_DIR\` | required | a private directory for mirrors and saved state. Each server needs its own; a second server on the same directory does not start |
| \`FERRYBOT_HOST\`, \`PORT\` | \`127.0.0.1\`, 3000 | where it listens, without TLS: put a reverse proxy in front |
| \`FERRYBOT_WORKERS\` | ${WORKERS} | repositories that are handled at the same time, at most ${WORKERS_MAX}. A webhook goes before the repositories that wait for a sweep |
| \`FERRYBOT_SWEEP_MS\` | ${SWEEP_PERIOD_MS} | time between two sweeps (${minutes(SWEEP_PERIOD_MS)} min) |
| \`FERRYBOT_STOP_MS\` | ${STOP_PATIENCE_MS} | how long a stop waits for running work (${seconds(STOP_PATIENCE_MS)} s) |
| \`GITHUB_API_URL\`, \`GITHUB_SERVER_URL\` | github.com | for GitHub Enterprise Server |

The server clones a repository only if its default branch has \`.github/ferrybot.yml\`. One request finds this out, and the next one follows after the next push. The server sends at most ${REQUESTS_AT_ONCE_MAX} requests at the same time; GitHub allows 100.

The directory is a cache. \`state.sqlite\` has the ETags of GitHub's answers, the read positions of the sweeps, and the ids of handled deliveries. A broken file is created again, and a deleted one costs only requests. The record in git has everything else, so back up nothing here. To free the disk, stop the server and delete the directory.

**Stop and restart.** After SIGTERM or SIGINT the server accepts no connection, starts no further work, and waits for running work for \`FERRYBOT_STOP_MS\`. Then it exits with 0. The first sweep after the start finds everything that arrived in between, so a restart, a crash or a kill loses nothing.

**Several servers.** Any number of servers may handle the same repositories, for example behind a load balancer, or during a rolling update to the same release. Each needs its own directory. An append to the record succeeds on one server; the others read it and continue from there. GitHub's limits count for all of them together.

**Systemd.** \`/etc/systemd/system/ferrybot.service\`, with the variables in a file that only root can read:

\`\`\`ini
[Unit]
Description=ferrybot serve
After=network-online.target
Wants=network-online.target

[Service]
# Not npx: a parent process would show the keys in its environment.
ExecStart=/usr/bin/node /opt/ferrybot/bin/ferrybot.js serve
EnvironmentFile=/etc/ferrybot/environment
Environment=FERRYBOT_WORK_DIR=/var/lib/ferrybot
DynamicUser=yes
StateDirectory=ferrybot
StateDirectoryMode=0700
# Longer than FERRYBOT_STOP_MS.
TimeoutStopSec=${seconds(STOP_PATIENCE_MS) + 10}
Restart=always
MemoryMax=1G
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes

[Install]
WantedBy=multi-user.target
\`\`\`

**Container.** A release has the image \`ghcr.io/ferrybot/ferrybot\`, made by the [Dockerfile](../Dockerfile). Start it with \`docker run --env-file ferrybot.env --memory 1g --stop-timeout ${seconds(STOP_PATIENCE_MS) + 10} …\`. In Kubernetes, use one volume per replica, \`terminationGracePeriodSeconds: ${seconds(STOP_PATIENCE_MS) + 10}\`, and \`/health\` as the readiness probe. Do not use it as the liveness probe, because a restart does not help while GitHub is down.

**Health and metrics.** \`/health\` and \`/metrics\` contain no secret and no name of a repository. Let the proxy forward only \`/api/github/webhooks\`, and let your monitoring read the rest. \`/health\` answers 200 with \`{"status":"ok","lastSweep":…}\`. It answers 503 with \`stopping\` after a signal, and with \`sweep-overdue\` if no sweep has succeeded for three periods: check GitHub's status page, the key of the App, and the log. \`/metrics\` is for Prometheus, with the usual metrics of a Node process and these:`;

const ALERTS = `Useful alerts: no sweep for two hours (\`time() - ferrybot_last_sweep_timestamp_seconds > 7200\`), repositories that fail (\`increase(ferrybot_batch_seconds_count{result="failed"}[1h]) > 5\`), a queue that does not drain (\`min_over_time(ferrybot_queue_length[30m]) > 0\`: raise \`FERRYBOT_WORKERS\`), and few requests left (\`ferrybot_github_rate_limit_remaining < 500\`).`;

/** The table of metrics is what the server registers. */
export async function serverPage(): Promise<string> {
  const idle = { waiting: 0, busy: 0, opened: 0, liveRuns: 0, sweptAtMs: null };
  const { registry } = createMetrics(() => idle, Date.now);
  return `${[SETTINGS, table(['metric', 'meaning'], await rowsOf(registry)), ALERTS].join('\n\n')}\n`;
}

async function rowsOf(registry: Registry): Promise<readonly (readonly string[])[]> {
  const all = await registry.getMetricsAsJSON();
  return all
    .filter(({ name }) => name.startsWith('ferrybot_'))
    .map(({ name, help }) => [`\`${name}\``, help.replace(/\.$/, '')]);
}
