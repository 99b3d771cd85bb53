/** Which secret each job needs, and which environment has to hold it. */

import type { LabConfig } from '../../../run/lane-scope.ts';
import { CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT } from '../../environments.ts';
import { clusterSecretsOf, passedSecretsOf } from '../../secret-registry.ts';

type SecretNeed = {
  readonly secret: string;
  /** `mode:` of the action in those jobs. */
  readonly modes: readonly string[];
  readonly environments: readonly string[];
  /** What the jobs use it for, as the end of a sentence. */
  readonly use: string;
  /** Whether a repository secret is enough, although branches can read it. */
  readonly mayBeOpen: boolean;
};

/** Every secret that the config names, once per use. */
export function configSecrets(config: LabConfig): readonly SecretNeed[] {
  const { containers, lanes, onCall } = config;
  const LAUNCH_AND_WATCH = {
    modes: ['launch', 'watch', 'stop'],
    environments: [LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT],
  };
  const trackers = Object.values(lanes).filter(({ tracker }) => tracker.kind !== 'none');
  const rows = [
    {
      names: passedSecretsOf(config),
      ...LAUNCH_AND_WATCH,
      use: 'which jobs get and logs must not show',
    },
    { names: clusterSecretsOf(config), ...LAUNCH_AND_WATCH, use: 'which opens a cluster' },
    {
      names: Object.values(onCall.channels).map(({ address }) => address),
      modes: ['chat', 'watch'],
      environments: [CONTROL_ENVIRONMENT, WATCH_ENVIRONMENT],
      use: 'the address of a channel',
    },
    {
      names: Object.values(containers.registries).flatMap(({ keyFrom }) => keyFrom ?? []),
      modes: ['chat', 'launch'],
      environments: [CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT],
      use: 'the key of a container registry',
    },
    {
      names: trackers.flatMap(({ tracker }) => tracker.keyFrom ?? []),
      modes: ['watch'],
      environments: [WATCH_ENVIRONMENT],
      use: 'the key of a tracker',
    },
  ];
  return rows.flatMap(({ names, ...row }, at) =>
    [...new Set(names)].map((secret) => ({ secret, ...row, mayBeOpen: at === 0 })),
  );
}
