/** Gate: the PR names one risk level, low, medium or high (policy DF-17). */

import { type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('risk-present');

export const riskPresent: Gate = {
  id: 'risk-present',
  evaluate: ({ body }) =>
    given(body, ({ risk }) => (risk === null ? block('missing', 'author') : pass('present', { risk }))),
};
