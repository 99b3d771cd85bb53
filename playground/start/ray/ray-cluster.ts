/** The cluster behind `npm start -- --engine ray`: is there a Ray at all, is the folder one of a Ray lab, and the head itself. */

import { existsSync } from 'node:fs';
import type { LabFolder } from '../lab-folder.ts';
import type { SeedInput } from '../seed-lab.ts';
import { openRayHead, rayPrograms } from './head.ts';
import { rayConfig } from './ray-config.ts';

export type RehearsalCluster = {
  /** What a new lab is seeded with. */
  readonly seed: SeedInput['cluster'];
  /** Ends it; where it may stay and a job runs on it, it is left as it is, and the text says so. */
  readonly close: (mayStay: boolean) => Promise<string | null>;
};

export type ClusterOutcome =
  | { readonly ok: true; readonly cluster: RehearsalCluster }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly exitCode: 1 | 2 };

const NONE: RehearsalCluster = { seed: null, close: async () => null };

/** Opens it where the options ask for Ray; a lab that is kept stays with the engine that it began with. */
export async function openCluster(engine: 'local' | 'ray', folder: LabFolder): Promise<ClusterOutcome> {
  const isRayLab = existsSync(folder.rayHead);
  if (existsSync(folder.world) && isRayLab !== (engine === 'ray'))
    return {
      ok: false,
      code: 'other-engine',
      message: `the lab in ${folder.root} began with --engine ${isRayLab ? 'ray' : 'local'}; choose that, or another folder`,
      exitCode: 1,
    };
  if (engine === 'local') return { ok: true, cluster: NONE };
  const programs = rayPrograms();
  if (programs === null)
    return {
      ok: false,
      code: 'no-ray',
      message: 'there is no Ray in .tools/ray: run npm run setup:ray first (about 400 MB, a minute or two)',
      exitCode: 2,
    };
  const head = await openRayHead(folder.rayHead);
  if ('takenPorts' in head)
    return {
      ok: false,
      code: 'ports-taken',
      message: `another program listens on ${head.takenPorts.join(', ')}, where the Ray head of the lab in ${folder.root} belongs: end that program, or begin another lab in another folder`,
      exitCode: 1,
    };
  const place = {
    address: head.address,
    uv: programs.uv,
    python: programs.python,
    outputs: folder.outputs,
  };
  return {
    ok: true,
    cluster: {
      seed: { token: head.token, configure: (config) => rayConfig(config, place) },
      close: async (mayStay) =>
        (await head.close(mayStay))
          ? `a job still runs on the Ray head at ${head.address}; start again with --keep ${folder.root} --engine ray to see it end`
          : null,
    },
  };
}
