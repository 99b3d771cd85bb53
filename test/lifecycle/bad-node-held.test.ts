/**
 * A deletion of a bad node that is held or stopped in its thread before ferrybot has processed the comment.
 */

import { describe, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { readState, untilState } from '../support/play.ts';
import { listDeletions } from '../support/simulated-cloud.ts';
import { MINUTE, postComment } from '../support/talk.ts';

describe('a consented node deletion', () => {
  it.each(['/hold reason="I want to look at it first"', '/stop', '/hold scope=repository reason="not tonight"'])(
    'is refused after (%s) in the thread, even if the record does not contain the command yet',
    async (brake) => {
      let onClaim: () => void = () => undefined;
      let appends = 0;
      const { lab, cloud } = await openBadNodeLab({
        atBoundary: (process, kind, moment) => {
          if (process === 'care' && `${moment} ${kind}` === 'before append') onClaim();
        },
      });
      const { run, issue } = await playUntilBad(lab);
      // The first append loses against the record of the dispatch; the second one is the claim.
      onClaim = () => {
        appends += 1;
        if (appends === 2) void postComment(lab, 'mira', issue, brake);
      };
      await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
      await untilState(lab, run, (state) => state.actions[0]?.ended != null, { limitMs: 60 * MINUTE });
      expect((await readState(lab, run))?.actions[0]?.ended).toMatchObject({
        outcome: 'refused',
        code: brake === '/stop' ? 'stop-requested' : 'held',
      });
      expect(listDeletions(cloud)).toEqual([]);
      await lab.close();
    },
  );
});
