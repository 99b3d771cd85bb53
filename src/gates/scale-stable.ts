/** Gate: the model's scale stays as it was unless a person asked for the change by name (policy/daily-ferry.md, rules). */

import { block, cannotTell, type Gate, given, pass } from './gate.ts';

export const scaleStable: Gate = {
  id: 'scale-stable',
  evaluate: ({ change, policy, proposal }) =>
    given(change, ({ delta }) => {
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be read');
      if (delta.kind === 'none') return pass('unchanged');
      const scaled = delta.changes.find(
        (c) => policy.scaleKnobs.includes(c.path) || policy.scaleKnobs.includes(c.knob),
      );
      if (scaled === undefined) return pass('unchanged');
      const askedByName = proposal.requestedBy !== null && proposal.objective.text.includes(scaled.knob);
      return askedByName
        ? pass('asked-for', { knob: scaled.knob, by: proposal.requestedBy.login })
        : block('scale-changed', 'maintainer', {
            knob: scaled.knob,
            before: scaled.before ?? '',
            after: scaled.after ?? '',
          });
    }),
};
