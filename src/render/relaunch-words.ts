/** Why a job is not started again, in words. */

import type { IncidentFacts } from '../domain/incidents.ts';
import type { PlaceWord } from './place-word.ts';
import { code, text } from './words.ts';

/** Which bound of the approval, the gates or the record keeps the same from being started again. */
export function relaunchWords(d: IncidentFacts<'relaunch-refused'>, place: PlaceWord): string {
  switch (d.reason) {
    case 'no-restarts-left':
      return d.restarts === 0
        ? 'The manifest that was approved allows no restart.'
        : `The manifest that was approved allows ${d.restarts ?? 'no more'} restarts, and they are used.`;
    case 'manifest-changed':
      return `The ${place} is not what was approved any more.`;
    case 'not-recoverable':
      return `Attempt ${d.attempt ?? 1} ended with ${code(d.failure ?? '')}, which the same manifest is not started again after.`;
    case 'stopped-by':
      return `Attempt ${d.attempt ?? 1} was stopped on the cluster by ${text(d.by ?? '')}, and not here: that is somebody's decision.`;
    case 'same-failure':
      return `Attempt ${d.attempt ?? 1} failed as attempt ${d.earlier ?? 1} did (${code(d.failure ?? '')}): trying it again has not helped.`;
    case 'no-progress':
      return `Attempt ${d.attempt ?? 1} came no further than attempt ${d.earlier ?? 1} (${code(d.failure ?? '')}).`;
    case 'checkpoint-rejected':
      return `The checkpoints from step ${d.rejectedStep ?? 0} on were rejected, and started again in the same output root the job would take the newest of them by itself.`;
    case 'loss-lost':
      return `The loss of attempt ${d.attempt ?? 1} was no number any more before it ended: started again, the job would go on from what that left behind.`;
    case 'other-steps':
      return `Attempt ${d.attempt ?? 1} made other steps than the attempt that it goes on from: nothing is started on top of that.`;
    case 'unstable':
      return `Before attempt ${d.attempt ?? 1} ended there was the alarm ${code(d.failure ?? '')}, which nobody had taken: numbers that run away are no fault of a machine.`;
    case 'same-in-lane':
      return `Attempt ${d.attempt ?? 1} failed as ${code(d.run ?? '')} of this lane did, and none has gone well since.`;
    default:
      return `The gate ${code(d.gate ?? '')} does not pass now (${code(d.gateCode ?? '')}).`;
  }
}
