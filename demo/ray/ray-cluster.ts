/** The cluster of `npm start -- --engine ray`: checks that Ray is installed, and opens the head. */

import type { LabFolder } from '../lab-folder.ts';
import type { ClusterOutcome } from '../rehearsal-cluster.ts';
import { openRayHead, rayPrograms } from './head.ts';
import { rayConfig } from './ray-config.ts';

/** Opens the head of a lab. */
export async function openRayCluster(folder: LabFolder): Promise<ClusterOutcome> {
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
  const place = { address: head.address, uv: programs.uv, python: programs.python, outputs: folder.outputs };
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
