/** The files that `ferrybot init` writes into a lab: its config and the workflows that this config needs. */

import { Document, isCollection, isMap, isScalar, parse, stringify, visit } from 'yaml';
import type { Knob } from '../../../delta/config-delta.ts';
import type { Role } from '../../../domain/logbook/parts.ts';
import { addMs, type Instant, toRfc3339 } from '../../../domain/values.ts';
import type { LabConfig } from '../../../run/lane.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import { listNeededWorkflows } from '../doctor/facts.ts';
import { type Detected, guessCandidate } from './detect.ts';
import type { Answers } from './questions.ts';

export type PlannedFile = { readonly path: string; readonly text: string };

/** A key is replaced after so long (docs/operations.md). */
const KEY_YEARS = 3;
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

export type ConfigParts = {
  readonly answers: Answers;
  readonly detected: Detected;
  readonly knobs: readonly Knob[];
  readonly git: { readonly name: string; readonly email: string };
  /** Public halves. */
  readonly keys: Readonly<Record<Role, string>>;
  readonly now: Instant;
  readonly version: string;
};

/** The config of a new lab, from the template. */
export function renderConfig(template: string, parts: ConfigParts): PlannedFile {
  const { answers, detected, knobs, git, keys, now, version } = parts;
  const { engine } = answers.cluster;
  const clusterName = String(engine);
  const [from, until] = [now, addMs(now, KEY_YEARS * YEAR_MS)].map((at) => `${toRfc3339(at).slice(0, 10)}T00:00:00Z`);
  const key = (role: Role): object => ({ id: `${role}-1`, role, public: keys[role], from, until });
  const candidate = guessCandidate(knobs);
  const usesWandb = answers.secrets.includes('WANDB_API_KEY');
  const values: Readonly<Record<string, unknown>> = {
    git,
    ...{ control: key('control'), runner: key('runner'), watch: key('watch') },
    approvals: { permission: 'maintain', onePersonIsEnough: answers.onePersonIsEnough },
    clusterName,
    experiment: answers.experiment,
    command: answers.command,
    ships: detected.ships,
    environment: {
      ...{ RUN_NAME: '{runName}', OUTPUT_DIR: '{outputRoot}' },
      ...(usesWandb ? { WANDB_RUN_ID: '{runName}' } : {}),
    },
    secrets: answers.secrets,
    candidates:
      candidate === null
        ? []
        : [
            {
              id: 'lr',
              ...candidate,
              bucket: 'optimizer',
              risk: 'low',
              reason: 'Is the learning rate still the best?',
            },
          ],
    metrics: [answers.metric],
  };
  const text = template
    .replace('{version}', version)
    .replace('{cluster}', () => `${clusterName}: ${flow(answers.cluster)}`)
    .replaceAll(/\{(\w+)\}/g, (placeholder, name) => (name in values ? flow(values[name]) : placeholder));
  return { path: CONFIG_PATH, text };
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', ...PLAIN_LINES }).trim();
}

const PLAIN_LINES = { lineWidth: 0, flowCollectionPadding: false, nullStr: '' } as const;

/** The commit behind every `uses:` of ferrybot, and the release that it belongs to. */
export type Pin = { readonly commit: string; readonly version: string };

/** The pin of a workflow that `init` wrote, or null. */
export function findPin(workflow: string): Pin | null {
  const [, commit, version] = /@([0-9a-f]{40}) # v(\d\S{0,30})/.exec(workflow) ?? [];
  return commit === undefined || version === undefined ? null : { commit, version };
}

/** The workflows that this config needs, by the templates of the release: short, with the secrets that each job uses. */
export function renderWorkflows(
  templates: Readonly<Record<string, string>>,
  config: LabConfig,
  pin: Pin,
): readonly PlannedFile[] {
  return listNeededWorkflows(config, false).map((name) => ({
    path: `.github/workflows/${config.workflows[name]}`,
    text: renderWorkflow(
      templates[name === 'diskScan' ? 'ferrybot-disk-scan.yml' : `ferrybot-${name}.yml`] ?? '',
      config,
      pin,
    ),
  }));
}

type Step = { id?: string; uses?: string; with?: Record<string, unknown>; env?: Record<string, string> };
type Job = { name?: string; outputs?: unknown; steps: Step[] };
type Workflow = { on: Record<string, unknown>; jobs: Record<string, Job> };

function renderWorkflow(template: string, config: LabConfig, pin: Pin): string {
  const workflow: Workflow = parse(template);
  const inputs: Readonly<Record<string, Record<string, unknown>>> = Object(
    Object(workflow.on['workflow_dispatch'])['inputs'],
  );
  for (const input of Object.values(inputs)) delete input['description'];
  for (const job of Object.values(workflow.jobs)) {
    delete job.name;
    delete job.outputs;
    for (const step of job.steps) shortenStep(step, template, config, pin);
  }
  const document = new Document(workflow);
  styleWorkflow(document, pin);
  const [, purpose = ''] = /^# (.*?\.)(?=\s)/s.exec(template) ?? [];
  const [, trigger = 'on:'] = /^(on:.*)$/m.exec(template) ?? [];
  return document
    .toString(PLAIN_LINES)
    .replace(/^name: .*$/m, (line) => `${line} # ${purpose.replaceAll(/\n# ?/g, ' ')}`)
    .replace(/^on:$/m, trigger);
}

/** `env` gets what the config needs in this mode, instead of the secrets of every engine. */
function shortenStep(step: Step, template: string, config: LabConfig, { commit }: Pin): void {
  if (step.id !== undefined && !template.includes(`{ steps.${step.id}.outputs.answer`)) delete step.id;
  if (step.uses?.startsWith('ferrybot/') !== true) return;
  step.uses = `${step.uses.split('@')[0]}@${commit}`;
  const secrets = listConfigSecrets(config);
  const known = [...Object.values(KEY_VARIABLES), ...secrets.map(({ secret }) => secret)];
  const named = Object.keys(step.env ?? {}).filter((name) => known.includes(name));
  const needed = secrets.filter(({ modes }) => modes.includes(String(step.with?.['mode']))).map(({ secret }) => secret);
  const names = [...new Set([...named, ...needed])];
  if (names.length > 0) step.env = Object.fromEntries(names.map((name) => [name, `\${{ secrets.${name} }}`]));
}

const IN_ONE_LINE = [
  'permissions',
  'environment',
  'with',
  'env',
  'schedule',
  'runs-on',
  'workflow_run',
  'issues',
  'issue_comment',
];

function styleWorkflow(document: Document, { version }: Pin): void {
  const triggers = document.get('on');
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key)) return;
      const fitsOneLine =
        IN_ONE_LINE.includes(String(key.value)) || (key.value === 'workflow_dispatch' && isMap(value));
      if (fitsOneLine && isCollection(value)) value.flow = true;
      if (key.value === 'if' && isScalar(value)) value.type = 'PLAIN';
      if (key.value === 'uses' && isScalar(value) && String(value.value).startsWith('ferrybot/'))
        value.comment = ` v${version}`;
    },
  });
  if (isMap(triggers) && !triggers.has('issue_comment')) triggers.flow = true;
}
