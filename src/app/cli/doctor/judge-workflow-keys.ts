/** Judges which jobs of the lab's workflows name a key, and on which events jobs start that have one. */

import { ROLES } from '../../../domain/logbook/role.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import { KEY_ENVIRONMENTS } from '../../environments.ts';
import { clusterSecretsOf, passedSecretsOf } from '../../secret-registry.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import { type Finding, fine, missing } from './finding.ts';
import { COPY, environmentOf, eventsOf, type Job, type Workflow } from './workflow-file.ts';

/** `texts`, `files`: every workflow file as it stands, and as it reads (null: not at all). `owner`: whose repository this is. */
export function judgeWorkflowKeys(
  config: LabConfig,
  texts: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Workflow | null>,
  owner: string,
): readonly Finding[] {
  return [secrets(config, texts, files, owner), events(files)];
}

/** Each key is named in a job of its environment and nowhere else; launch, watch and stop get what jobs are passed and what opens clusters, the watch what trackers are asked with; control and launcher have what registries are asked with; who tells of incidents has the addresses. */
function secrets(
  config: LabConfig,
  texts: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Workflow | null>,
  owner: string,
): Finding {
  const watch = texts.get(`.github/workflows/${config.workflows.watch}`) ?? '';
  const faults = [
    ...notHandedOn(config, files),
    ...[...files].flatMap(([path, file]) =>
      file === null ? unread(path, texts.get(path) ?? '') : keyFaults(path, file, owner),
    ),
    ...trackerSecretsOf(config)
      .filter((name) => !watch.includes(name))
      .map((name) => `the watch is not given ${name} and asks no tracker with it`),
  ];
  return faults.length === 0
    ? fine('workflow-secrets', 'each key in the jobs of its environment')
    : missing(
        'workflow-secrets',
        faults.join('; '),
        `Name each secret under \`env:\` of the step that needs it, as \`NAME: \${{ secrets.NAME }}\`, and under no other. For the rest: ${COPY}`,
      );
}

/** The secrets by which the config names where incidents are told, each once. */
export function channelSecretsOf({ onCall }: LabConfig): readonly string[] {
  return [...new Set(Object.values(onCall.channels).map(({ address }) => address))];
}

/** The names of the keys that the lanes have their trackers asked with, each once. */
export function trackerSecretsOf({ lanes }: LabConfig): readonly string[] {
  const asked = Object.values(lanes).filter(({ tracker }) => tracker.kind !== 'none');
  return [...new Set(asked.flatMap(({ tracker }) => tracker.keyFrom ?? []))];
}

/** The names of the keys that registries of containers are asked with, each once. */
export function registrySecretsOf({ containers }: LabConfig): readonly string[] {
  return [...new Set(Object.values(containers.registries).flatMap(({ keyFrom }) => keyFrom ?? []))];
}

/**
 * GitHub gives a job only the secrets that its `env:` names.
 * A job that tells of incidents and is not given an address tells everybody but that channel; one that looks at containers
 * and has no key of their registry holds back every launch in one.
 */
function notHandedOn(config: LabConfig, files: ReadonlyMap<string, Workflow | null>): readonly string[] {
  const handed = [
    [/"mode":"launch"/, passedSecretsOf(config), 'which it passes to jobs, and refuses to launch without'],
    [/"mode":"(?:watch|stop)"/, passedSecretsOf(config), 'and withholds what jobs write'],
    [/"mode":"(?:launch|watch|stop)"/, clusterSecretsOf(config), 'which opens a cluster'],
    [/"mode":"(?:chat|watch)"/, channelSecretsOf(config), 'by which a channel is told'],
    [/"mode":"(?:chat|launch)"/, registrySecretsOf(config), 'with which a registry of containers is asked'],
  ] as const;
  return [...files].flatMap(([path, file]) =>
    Object.entries(file?.jobs ?? {}).flatMap(([job, one]) => {
      const text = JSON.stringify(one);
      if (one.uses !== undefined) return [];
      return handed
        .filter(([mode]) => mode.test(text))
        .flatMap(([, names, why]) =>
          names
            .filter((name) => !new RegExp(`\\bsecrets\\.${name}\\b`).test(text))
            .map((name) => `${job} in ${path} is not given ${name}, ${why}`),
        );
    }),
  );
}

function unread(path: string, text: string): readonly string[] {
  return ROLES.filter((role) => text.includes(KEY_VARIABLES[role])).map(
    (role) => `${path} cannot be read and names ${KEY_VARIABLES[role]}`,
  );
}

function keyFaults(path: string, { jobs, ...rest }: Workflow, owner: string): readonly string[] {
  const everyJobs = named(rest).map((role) => `${path} names ${KEY_VARIABLES[role]} for every job`);
  return [...everyJobs, ...Object.entries(jobs).flatMap(([name, one]) => jobFaults(path, name, one, owner))];
}

function jobFaults(path: string, name: string, one: Job, owner: string): readonly string[] {
  const roles = named(one);
  if (one.uses !== undefined)
    // The called job of a mirror in the lab's own organisation has the environment itself.
    return one.uses.toLowerCase().startsWith(`${owner.toLowerCase()}/`)
      ? []
      : roles.map((role) => `${name} in ${path} hands on ${KEY_VARIABLES[role]}: no called workflow gets it`);
  const environment = environmentOf(one);
  return roles
    .filter((role) => environment === undefined || !KEY_ENVIRONMENTS[role].includes(environment))
    .map(
      (role) =>
        `${name} in ${path} names ${KEY_VARIABLES[role]} outside of ${KEY_ENVIRONMENTS[role].join(', ')}`,
    );
}

function named(part: unknown): readonly (typeof ROLES)[number][] {
  const text = JSON.stringify(part);
  return ROLES.filter((role) => text.includes(KEY_VARIABLES[role]));
}

/** Events that run on the default branch; an environment that is its alone refuses every other ref. */
const DEFAULT_BRANCH_EVENTS = [
  'issue_comment',
  'issues',
  'schedule',
  'workflow_dispatch',
  'workflow_call',
  'workflow_run',
];

/** A job that starts where its environment keeps it out fails, with a red cross on somebody's pull request. */
function events(files: ReadonlyMap<string, Workflow | null>): Finding {
  const own = Object.values(KEY_ENVIRONMENTS).flat();
  const faults = [...files].flatMap(([path, file]) => {
    const isOurs = Object.values(file?.jobs ?? {}).some((one) => own.includes(environmentOf(one) ?? ''));
    const strange = file === null || !isOurs ? [] : eventsOf(file);
    return strange
      .filter((event) => !DEFAULT_BRANCH_EVENTS.includes(event))
      .map((event) => `${path} starts on ${event}, whose ref its environment refuses`);
  });
  return faults.length === 0
    ? fine('workflow-events', 'jobs with a key start on the default branch')
    : missing('workflow-events', faults.join('; '), COPY);
}
