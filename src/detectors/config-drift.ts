/** A job that runs with other settings than those that were launched, or than its attempt before. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

export const configDrift: Detector = {
  id: 'config-drift',
  witness: ['manifest'],
  limits: {},
  judge: ({ config }) => {
    if (config.length === 0) return cannotTell('manifest');
    const drifted = config.filter(({ launched, observed }) => launched !== observed);
    const [first] = drifted;
    if (first === undefined) return QUIET;
    return alarm(drifted.map(({ name }) => name).join(' '), {
      seen: drifted.map(({ name, observed }) => `${name}=${observed}`).join(' '),
      bound: drifted.map(({ name, launched }) => `${name}=${launched}`).join(' '),
    });
  },
};
