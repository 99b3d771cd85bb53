/** A cluster for one run: what the run asks of its machine, and never more than the lab has said. */

import type { BeyondCap, MachineNeeds } from '../../domain/launch/machine-needs.ts';
import type { VastCluster } from './schema.ts';

/** What a run may have less of, and not more. */
const CAPS = ['dollarsPerHourMax', 'dollarsMax', 'hoursMax', 'endGraceMinutes'] as const;

/** Above a cap it is the cap's: what is judged beside this holds the launch back, and what is rented is within it all the same. */
export function fitVast(
  cluster: VastCluster,
  needs: MachineNeeds,
): { readonly cluster: VastCluster; readonly beyond: readonly BeyondCap[] } {
  const beyond = CAPS.flatMap((what) => {
    const [asked, most] = [needs[what], cluster[what]];
    return asked !== undefined && Number(asked) > Number(most)
      ? [{ what, asked: String(asked), most: String(most) }]
      : [];
  });
  const within = Object.fromEntries(beyond.map(({ what }) => [what, cluster[what]]));
  const fitted = { ...cluster, ...needs, ...within };
  const hours = fitted.hoursMax * fitted.gpus;
  return {
    cluster: { ...fitted, acceleratorHoursPerRun: String(hours), accelerators: fitted.gpus },
    beyond,
  };
}
