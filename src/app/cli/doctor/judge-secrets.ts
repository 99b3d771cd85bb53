/** Judges where the keys lie: each in the environment of the jobs that hold it, and among no secrets that a branch can read. */

import type { Observed } from '../../../domain/observed.ts';
import {
  CARE_ENVIRONMENT,
  CONTROL_ENVIRONMENT,
  LAUNCH_ENVIRONMENT,
  WATCH_ENVIRONMENT,
} from '../../environments.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import { type DoctorCheck, type Finding, fine, LOOK, missing, unseen } from './finding.ts';

/** Names of secrets, by where they lie. */
export type SecretFacts = {
  /** Names of the secrets that lanes pass to their jobs. */
  readonly passedSecrets: readonly string[];
  /** Names of the secrets that open the clusters. */
  readonly clusterSecrets: readonly string[];
  /** Names of the secrets that have the addresses of the lab's channels, as the config gives them. */
  readonly channelSecrets: readonly string[];
  /** Names of the secrets that have the keys which the watch asks the lanes' trackers with. */
  readonly trackerSecrets: readonly string[];
  /** Names of the secrets that have the keys of registries of containers. */
  readonly registrySecrets: readonly string[];
  readonly controlSecrets: Observed<readonly string[]>;
  readonly launchSecrets: Observed<readonly string[]>;
  readonly watchSecrets: Observed<readonly string[]>;
  /** Null where no workflow of the lab's changes a cluster. */
  readonly careSecrets: Observed<readonly string[]> | null;
  readonly repositorySecrets: Observed<readonly string[]>;
  /** Those of the organisation that this repository may use. */
  readonly organizationSecrets: Observed<readonly string[]>;
};

/** Whether each key lies in its own environment, and nowhere else. */
export function judgeSecrets(facts: SecretFacts): readonly Finding[] {
  return [
    inEnvironments(facts),
    ofJobs(facts),
    ofChannels(facts),
    ofTrackers(facts),
    ofRegistries(facts),
    outside(facts),
  ];
}

function inEnvironments(facts: SecretFacts): Finding {
  const check = 'environment-secrets';
  const places = [
    [CONTROL_ENVIRONMENT, KEY_VARIABLES.control, facts.controlSecrets],
    [LAUNCH_ENVIRONMENT, KEY_VARIABLES.runner, facts.launchSecrets],
    [WATCH_ENVIRONMENT, KEY_VARIABLES.watch, facts.watchSecrets],
    [CARE_ENVIRONMENT, KEY_VARIABLES.runner, facts.careSecrets],
  ] as const;
  const absent = places.flatMap(([environment, key, names]) =>
    names?.kind === 'known' && !names.value.includes(key) ? [`${key} in ${environment}`] : [],
  );
  const todo = 'Settings, Environments: put the key of each role into the environment of its jobs.';
  if (absent.length > 0) return missing(check, `there is no ${absent.join(', no ')}`, todo);
  const away = places.flatMap(([, , names]) => (names?.kind === 'unknown' ? [names.why] : []))[0];
  return away === undefined
    ? fine(check, 'each key in its environment')
    : unseen(check, away, `${LOOK} ${todo}`);
}

/** The launcher passes them on or submits with them; the watch redacts them or looks with them. A job also has the secrets of the repository. */
function ofJobs(facts: SecretFacts): Finding {
  const { passedSecrets, clusterSecrets, launchSecrets, watchSecrets } = facts;
  const check = 'job-secrets';
  const everywhere = [facts.repositorySecrets, facts.organizationSecrets].flatMap((names) =>
    names.kind === 'known' ? names.value : [],
  );
  const wanted = [...passedSecrets.filter((name) => !everywhere.includes(name)), ...clusterSecrets];
  if (wanted.length === 0) return fine(check, 'no job and no cluster needs a secret of the environments');
  return inBoth(wanted, [LAUNCH_ENVIRONMENT, launchSecrets], [WATCH_ENVIRONMENT, watchSecrets], {
    check,
    is: 'each secret of jobs and clusters',
    todo: 'Settings, Environments: put what `passSecrets` names, and the token of each cluster, into both.',
  });
}

/** Control tells of what it records, and the watch of what it sees: both send, so both environments have each address. */
function ofChannels({ channelSecrets, controlSecrets, watchSecrets }: SecretFacts): Finding {
  const check = 'channel-secrets';
  if (channelSecrets.length === 0) return fine(check, 'incidents are told in no channel beside GitHub');
  return inBoth(channelSecrets, [CONTROL_ENVIRONMENT, controlSecrets], [WATCH_ENVIRONMENT, watchSecrets], {
    check,
    is: 'the address of each channel',
    todo: 'Settings, Environments: put the address of each channel of onCall.channels into both; a server has it in its own environment.',
  });
}

/** Control and launcher each look at a container by themselves. */
function ofRegistries({ registrySecrets, controlSecrets, launchSecrets }: SecretFacts): Finding {
  const check = 'registry-secrets';
  if (registrySecrets.length === 0) return fine(check, 'no registry of containers is asked with a key');
  return inBoth(registrySecrets, [CONTROL_ENVIRONMENT, controlSecrets], [LAUNCH_ENVIRONMENT, launchSecrets], {
    check,
    is: 'the key of each registry of containers',
    todo: 'Settings, Environments: put what each `keyFrom` of containers.registries names into both; a server has it in its own environment.',
  });
}

type Place = readonly [environment: string, names: Observed<readonly string[]>];

function inBoth(
  wanted: readonly string[],
  one: Place,
  other: Place,
  { check, is, todo }: { readonly check: DoctorCheck; readonly is: string; readonly todo: string },
): Finding {
  const places = [one, other];
  const absent = places.flatMap(([environment, names]) =>
    names.kind === 'known'
      ? wanted.filter((name) => !names.value.includes(name)).map((name) => `${name} in ${environment}`)
      : [],
  );
  if (absent.length > 0) return missing(check, `there is no ${absent.join(', no ')}`, todo);
  const away = places.flatMap(([, names]) => (names.kind === 'unknown' ? [names.why] : []))[0];
  return away === undefined
    ? fine(check, `${is} in ${one[0]} and ${other[0]}`)
    : unseen(check, away, `${LOOK} ${todo}`);
}

/** The watch alone asks a tracker. That it was given no key it learns at its first look, and then tells of on every card. */
function ofTrackers({ trackerSecrets, watchSecrets }: SecretFacts): Finding {
  const check = 'tracker-secrets';
  if (trackerSecrets.length === 0) return fine(check, 'no lane has its tracker asked with a key');
  const todo = `Settings, Environments: put what each \`tracker.keyFrom\` names into ${WATCH_ENVIRONMENT}; a watch that is no workflow has it in its own environment.`;
  if (watchSecrets.kind === 'unknown') return unseen(check, watchSecrets.why, `${LOOK} ${todo}`);
  const absent = trackerSecrets.filter((name) => !watchSecrets.value.includes(name));
  return absent.length > 0
    ? missing(check, absent.map((name) => `there is no ${name} in ${WATCH_ENVIRONMENT}`).join(', '), todo)
    : fine(check, `the key of each tracker in ${WATCH_ENVIRONMENT}`);
}

/** What the example workflows name and a branch must not read; what a lab's jobs are passed has names of the lab's own. */
const GUARDED: readonly string[] = [...Object.values(KEY_VARIABLES), 'RAY_AUTH_TOKEN', 'VAST_API_KEY'];

/** A secret of the repository or of its organisation is every branch's: whoever may push reads it with a workflow. */
function outside(facts: SecretFacts): Finding {
  const {
    clusterSecrets,
    channelSecrets,
    trackerSecrets,
    registrySecrets,
    repositorySecrets,
    organizationSecrets,
  } = facts;
  const guarded = [...GUARDED, ...clusterSecrets, ...channelSecrets, ...trackerSecrets, ...registrySecrets];
  const check = 'no-key-outside';
  const readable = [
    ['the repository', repositorySecrets],
    ['the organisation', organizationSecrets],
  ] as const;
  const found = readable.flatMap(([where, names]) =>
    names.kind === 'known'
      ? names.value.filter((name) => guarded.includes(name)).map((name) => `${name} of ${where}`)
      : [],
  );
  const todo =
    'Delete it there, and make a new key or token: every workflow of every branch could read this one.';
  if (found.length > 0) return missing(check, `a branch can read ${found.join(', ')}`, todo);
  const away = readable.flatMap(([, names]) => (names.kind === 'unknown' ? [names.why] : []))[0];
  return away === undefined
    ? fine(
        check,
        'no key, no token of the cluster, of a tracker or of a registry and no address of a channel among what a branch can read',
      )
    : unseen(check, away, `${LOOK} No key may be a secret of the repository or of the organisation.`);
}
