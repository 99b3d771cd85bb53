/** Gate: the run reports to a run of the tracker that no other of the record does, unless its contract says that it goes on from that one. */

import { type Gate, given, judging } from '../../gates/gate.ts';

const { block, pass } = judging('tracker-own');

export const trackerOwn: Gate = {
  id: 'tracker-own',
  evaluate: ({ manifest, trackerHolder }) =>
    given(manifest, ({ tracker: { runId: id }, resume: { policy } }) =>
      given(trackerHolder, (run) =>
        run === null ? pass('own', { id, resume: policy }) : block('taken', 'author', { id, run }),
      ),
    ),
};
