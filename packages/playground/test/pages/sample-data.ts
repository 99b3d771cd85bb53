/**
 * A small lab in the form of API answers: one proposed ferry with checks, a run with a log, and hostile text
 * everywhere.
 */

export const hostile = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"'&`;

const user = (login: string, id: number) => ({ login, id, type: login.endsWith('[bot]') ? 'Bot' : 'User' });
export const ada = user('ada', 2);
export const bot = user('ferrybot[bot]', 9);

export const people = [
  { login: 'mira', token: 'token-mira', role: 'maintainer' },
  { login: 'ada', token: 'token-ada', role: 'author' },
  { login: 'ravi', token: 'token-ravi', role: 'reader' },
  { login: 'sol', token: 'token-sol', role: 'stranger' },
];

export const repo = {
  name: 'marin',
  full_name: 'lab/marin',
  description: 'A small lab that trains a small language model every day.',
  default_branch: 'main',
  private: false,
  clone_url: 'http://127.0.0.1/lab/marin.git',
};

export const sha = '4f1c0d2e9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d';

export const labels = [
  { name: 'ferry', color: '0969da', description: 'a daily ferry' },
  { name: 'experiment', color: 'a2eeef', description: '' },
  { name: hostile, color: 'red;background:url(x)', description: hostile },
];

const proposal = `Last ferry: #3 (sealed, \`daily-125m-2026-11-20\`).

### What and why
Raise the learning rate a little: the last three ferries converged early.

| knob | before | after |
|---|---|---|
| \`learning_rate\` | 3e-3 | **4e-3** |

**Risk:** low

- [ ] human approval
- [x] issue created/updated
- [ ] monitoring loop started

<details><summary>Since the last ferry</summary>

- 4 commits in \`experiments/\`
- nothing in \`lib/\`

</details>
<!-- ferrybot:proposal -->`;

const card = `🤖 **daily-125m-2026-11-21** is *stepping* ~420/1000

\`\`\`mermaid
xychart-beta
  title "Loss over steps"
  x-axis "step" [0, 100, 200, 300, 400]
  y-axis "loss" 2 --> 6
  line [5.6, 4.1, 3.4, 3.0, 2.8]
\`\`\`

<sub>evidence: engine \`local\`, job 4711</sub>`;

export const issue = {
  number: 4,
  title: 'Daily ferry 2026-11-21: learning rate 3e-3 to 4e-3',
  state: 'open',
  user: bot,
  body: proposal,
  labels: [labels[0]],
  comments: 1,
  author_association: 'CONTRIBUTOR',
  performed_via_github_app: { slug: 'ferrybot', name: 'ferrybot' },
  reactions: { total_count: 1, '+1': 1 },
  created_at: '2026-11-21T06:00:00Z',
  updated_at: '2026-11-21T06:00:00Z',
  pull_request: { merged_at: null },
};

export const hostileIssue = {
  ...issue,
  number: 5,
  title: hostile,
  user: ada,
  body: `${hostile}\n\n[x](javascript:alert(1)) <svg onload=alert(1)></svg> <style>*{display:none}</style>`,
  labels: [labels[2]],
  performed_via_github_app: { slug: 'x', name: hostile },
  pull_request: null,
};

export const comment = {
  id: 77,
  body: card,
  user: bot,
  author_association: 'CONTRIBUTOR',
  performed_via_github_app: { slug: 'ferrybot', name: 'ferrybot' },
  reactions: { total_count: 1, eyes: 1 },
  created_at: '2026-11-21T06:05:00Z',
  updated_at: '2026-11-21T06:06:00Z',
};

export const pull = {
  number: 4,
  title: issue.title,
  state: 'open',
  user: bot,
  head: { ref: 'ferry/2026-11-21', sha, repo: { full_name: 'lab/marin' } },
  base: { ref: 'main', sha: '0'.repeat(40), repo: { full_name: 'lab/marin' } },
  mergeable: true,
  created_at: issue.created_at,
  commits: 1,
  additions: 2,
  deletions: 2,
  changed_files: 1,
};

export const files = [
  {
    filename: 'experiments/ferries/daily.py',
    status: 'modified',
    additions: 2,
    deletions: 2,
    patch: `@@ -38,7 +38,7 @@ def config():\n     return SimpleTrainConfig(\n         batch_size=16,\n-        learning_rate=3e-3,\n+        learning_rate=4e-3,  # ${hostile}\n         num_steps=1000,\n     )\n@@ -60,2 +60,2 @@\n-RUN_NAME = "daily-125m-2026-11-20"\n+RUN_NAME = "daily-125m-2026-11-21"\n\\ No newline at end of file`,
  },
];

export const commit = {
  sha,
  commit: {
    message: `Propose the daily ferry of 2026-11-21\n\n${hostile}`,
    author: { name: 'lab', date: '2026-11-21T05:59:00Z' },
    committer: { name: 'lab', date: '2026-11-21T05:59:00Z' },
  },
  author: bot,
  parents: [{ sha: '0'.repeat(40) }],
};

export const checkRun = {
  id: 31,
  name: 'ferrybot',
  head_sha: sha,
  status: 'completed',
  conclusion: 'action_required',
  started_at: '2026-11-21T06:01:00Z',
  completed_at: '2026-11-21T06:01:04Z',
  details_url: 'javascript:alert(1)',
  app: { slug: 'ferrybot', name: 'ferrybot' },
  output: {
    title: '8 of 9 gates passed: waits for the approval of a maintainer',
    summary: `| gate | says |\n|---|---|\n| target branch | passed |\n| approval | **missing**: mira may give it |\n\n${hostile}`,
    text: null,
    annotations_count: 1,
  },
};

export const tests = {
  ...checkRun,
  id: 32,
  name: 'unit tests',
  conclusion: 'success',
  details_url: null,
  app: { slug: 'github-actions', name: 'GitHub Actions' },
  output: { title: null, summary: null, text: null, annotations_count: 0 },
};

export const annotation = {
  path: 'experiments/ferries/daily.py',
  start_line: 40,
  end_line: 40,
  annotation_level: 'notice',
  title: 'learning_rate',
  message: `3e-3 to 4e-3, bucket optimizer ${hostile}`,
  raw_details: null,
};

export const run = {
  id: 501,
  name: 'launch',
  display_title: 'Launch daily-125m-2026-11-21',
  event: 'workflow_dispatch',
  status: 'in_progress',
  conclusion: null,
  head_branch: hostile,
  head_sha: sha,
  run_number: 12,
  run_attempt: 1,
  workflow_id: 3,
  path: '.github/workflows/launch.yml',
  actor: bot,
  created_at: '2026-11-21T06:10:00Z',
  updated_at: '2026-11-21T06:10:30Z',
};

export const job = {
  id: 601,
  name: 'launch',
  status: 'in_progress',
  conclusion: null,
  started_at: '2026-11-21T06:10:02Z',
  completed_at: null,
  runner_name: 'runner-1',
  steps: [
    { name: 'Set up job', number: 1, status: 'completed', conclusion: 'success' },
    { name: 'Run ferrybot/ferrybot', number: 2, status: 'in_progress', conclusion: null },
  ],
};

export const log = [
  '2026-11-21T06:10:02.000Z ##[group]Set up job',
  '2026-11-21T06:10:02.100Z runner-1, node 24',
  '2026-11-21T06:10:02.200Z ##[endgroup]',
  '2026-11-21T06:10:03.000Z \u001b[32mOrder is valid\u001b[0m and \u001b[1;31mnot yet used\u001b[0m',
  `2026-11-21T06:10:04.000Z \u001b]0;title\u0007${hostile} \u001b[31m<b>red</b>`,
  '2026-11-21T06:10:05.000Z ##[warning]slow cluster',
].join('\n');

export const workflow = { id: 3, name: 'launch', path: '.github/workflows/launch.yml', state: 'active' };

export const contents = [
  { type: 'dir', name: 'experiments', path: 'experiments', size: 0, sha },
  { type: 'file', name: 'README.md', path: 'README.md', size: 120, sha },
];
