/** What a failed job died of, for people: the class in plain words, where to look, and whether the same again can pass. */

import type { FailureClass } from '../domain/failure-class.ts';
import { limits } from '../domain/limits.ts';
import type { RecordedDiagnosis } from '../domain/logbook/events/job-events.ts';
import { fenced } from './escape.ts';
import { code, count, details, paragraphs } from './words.ts';

/** The end of a log, folded: all that is kept of it. */
const SHOWN_LOG_END_CHARS_MAX = 9_100;

/** A paragraph, with the lines that tell behind a fold. */
export function diagnosisPart(diagnosis: RecordedDiagnosis): string {
  const { class: kind, confidence, place, error, evidence, logEnd = [] } = diagnosis;
  const { what, again } = classWords(kind);
  const where =
    place === null || error === null ? '' : `\n${code(`${place.file}:${place.line}`)}: ${code(error)}`;
  const lines =
    evidence.length === 0
      ? null
      : details('What the log says', fenced(evidence.join('\n'), limits.shownBlockCharsMax));
  return paragraphs(
    `By its log: **${what}** (${code(kind)}, ${confidence} confidence). ${again}${where}`,
    lines,
    logEnd.length === 0
      ? null
      : details(
          `The last ${count(logEnd.length, 'line')} of its log`,
          fenced(logEnd.join('\n'), SHOWN_LOG_END_CHARS_MAX),
        ),
  );
}

/** What a class means, and whether the same again can pass: the words of an incident and of the end alike. */
export function classWords(kind: FailureClass): Words {
  return WORDS[kind];
}

type Words = { readonly what: string; readonly again: string };

const SAME_END = 'The same configuration would end the same way.';
const MAY_PASS = 'The same configuration may pass.';

const WORDS: Readonly<Record<FailureClass, Words>> = {
  'oom-hbm': { what: "the accelerator's memory ran out", again: SAME_END },
  'oom-host': { what: "the host's memory ran out", again: SAME_END },
  'bad-node': {
    what: 'a machine or its accelerator is broken',
    again: 'The same configuration may pass on another machine.',
  },
  preempted: { what: 'the machines were taken away', again: MAY_PASS },
  capacity: { what: 'the machines could not be had', again: 'It can run when there is room.' },
  network: { what: 'a connection broke', again: MAY_PASS },
  storage: {
    what: 'a disk, a file system or an object store failed',
    again: 'Look at it before the same configuration runs again.',
  },
  data: { what: 'the data could not be read as it is', again: SAME_END },
  nan: {
    what: 'the training diverged, or its loss or a gradient is no number',
    again: 'Running it on or again mends nothing.',
  },
  'code-small': { what: 'a slip in the code, in one file', again: SAME_END },
  'code-other': { what: 'an error in the code', again: 'A person has to look at it.' },
  config: { what: 'a setting is wrong', again: SAME_END },
  auth: { what: 'a right or a credential is missing', again: SAME_END },
  dependency: { what: 'a package or a driver is missing or does not fit', again: SAME_END },
  'infra-cluster': {
    what: 'the cluster failed',
    again: 'Other jobs may be concerned: look at the cluster first.',
  },
  stalled: { what: 'it stood still until a watchdog ended it', again: MAY_PASS },
  benign: { what: 'nothing in it is a failure', again: 'Why the job failed stands elsewhere.' },
  unknown: { what: 'nobody can tell', again: 'A person has to look at it.' },
};
