/** The gates of a recorded look under another config: the gates themselves, over the facts as the record leaves them possible. */

import type { GateId, Verdict } from '../../domain/launch/verdict.ts';
import { cannotTell, type Judgement, type PastAnswer } from '../../gates/gate.ts';
import { allGates } from '../../gates/run-gates.ts';
import { type RecordedLook, recordedFacts } from './recorded-facts.ts';

/** `why`: the reason code of the gate; where nobody can tell, the one that may stand against it. */
export type ReplayedGate = {
  readonly gate: GateId;
  readonly from: Verdict['outcome'];
  readonly to: { readonly outcome: Verdict['outcome']; readonly why: string };
};

/** Every gate of the look. One that could not tell then cannot tell now, and a look without a manifest launched nothing. */
export function replayGates(look: RecordedLook): readonly ReplayedGate[] {
  const { verdicts, manifest: then } = look.gate;
  const facts = then === null ? null : recordedFacts(look, then);
  return verdicts.map((verdict) => {
    const { gate, outcome } = verdict;
    const again = then === null || facts === null ? null : askedAgain({ verdict, then, facts });
    return { gate, from: outcome, to: again ?? { outcome, why: verdict.code } };
  });
}

/** Null: the config says nothing else of what the gate reads. */
function askedAgain(past: PastAnswer): ReplayedGate['to'] | null {
  const { verdict, then, facts } = past;
  const gate = allGates(facts.own).find(({ id }) => id === verdict.gate);
  if (gate?.replay === undefined || verdict.outcome === 'unknown') return null;
  const { settings, worlds } = gate.replay;
  if (facts.manifest.kind === 'known' && isSame(settings(then), settings(facts.manifest.value))) return null;
  return agreed(worlds(past).map((world) => gate.evaluate(world)));
}

function isSame(then: unknown, now: unknown): boolean {
  return JSON.stringify(then) === JSON.stringify(now);
}

/** Where all let it through, or none does, the likeliest answer; else what may stand against it. */
function agreed(answers: readonly Judgement[]): ReplayedGate['to'] {
  const failing = answers.filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown');
  const { outcome, code } = failing[0] ?? answers[0] ?? cannotTell('nothing of it is recorded');
  const isTold = failing.length === 0 || failing.length === answers.length;
  return { outcome: isTold ? outcome : 'unknown', why: code };
}
