/** What is told and what is not begun where the config does not have the cluster of a job any more. */

import { describe, expect, it } from 'vitest';
import { decideMissingCluster } from '../../src/run/decide-missing-cluster.ts';
import { decideStop } from '../../src/run/decide-stop.ts';
import { decideWatch } from '../../src/run/decide-watch.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { instant, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, told } from './parts.ts';

const running = gatedOn().approved(bob).ordered().submitted();
const ELSEWHERE = { ...CONFIG, clusters: {} };
const FACTS = someFacts();
const ended = (run: RunBuilder): RunBuilder => run.observed().ended();
const codes = (run: RunBuilder, config: typeof CONFIG): unknown => {
  const step = decideMissingCluster(run.state, config);
  return step?.kind === 'append' ? step.drafts.map(({ data }) => data) : step;
};

describe('a cluster that the config does not have', () => {
  it('is told while a job runs there, and neither before nor after it', () => {
    expect(codes(running, ELSEWHERE)).toEqual([{ code: 'cluster-missing', detail: { cluster: 'local' } }]);
    expect(codes(running, CONFIG)).toBeNull();
    expect(codes(gatedOn(), ELSEWHERE)).toBeNull();
    expect(codes(ended(running), ELSEWHERE)).toBeNull();
  });

  it('is back only where it is the one that was told to be missing', () => {
    const missing = (cluster: string) => running.incident('cluster-missing', { cluster });
    expect(codes(missing('local'), ELSEWHERE)).toBeNull();
    expect(codes(missing('local'), CONFIG)).toEqual([{ code: 'cluster-back', detail: { cluster: 'local' } }]);
    expect(codes(missing('of-an-earlier-attempt'), CONFIG)).toBeNull();
  });

  it('gets neither a watch nor a stop started: their tries are for when it is back', () => {
    const asked = running.stopRequested(alice);
    const now = instant(asked.state.head.at);
    const both = (config: typeof CONFIG): readonly string[] => [
      told(decideWatch(asked.state, FACTS, config, now, NO_ATTEMPTS)),
      told(decideStop(asked.state, FACTS, config, now, NO_ATTEMPTS)),
    ];
    expect(both(CONFIG)).toEqual(['dispatch-workflow watch', 'dispatch-workflow stop']);
    expect(both(ELSEWHERE)).toEqual(['nothing', 'nothing']);
  });
});
