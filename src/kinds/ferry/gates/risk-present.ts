/** Gate: the PR names one risk level, low, medium or high (policy DF-17). */

import { block, type Gate, given, pass } from '../../../gates/gate.ts';

export const riskPresent: Gate = {
  id: 'risk-present',
  evaluate: ({ body }) =>
    given(body, ({ risk }) => (risk === null ? block('missing', 'author') : pass('present', { risk }))),
};
