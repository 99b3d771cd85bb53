/** `ferrybot classify < job.log`: classifies why a job failed, and names the first response. */

import { createDiagnosis, type EndStatus } from '../../../diagnosis/diagnose.ts';
import { redactAndTruncateLine } from '../../../domain/written-secrets.ts';
import { redact } from '../../../host/redactor.ts';
import { EXIT, readLogLines, refuse, reply, usageError, type VerbIo } from '../verb-io.ts';

const clean = (text: string): string => redactAndTruncateLine({ redact: (one) => redact(one, []) }, text.trim());

const STATUSES: readonly EndStatus[] = ['SUCCEEDED', 'FAILED', 'STOPPED'];

/** Characters that text logs rarely have: NUL, and bytes that are not UTF-8. */
const NO_TEXT = /[\0\uFFFD]/g;
/** A text log in another encoding has fewer; compressed data has about half. */
const NO_TEXT_SHARE_MAX = 0.2;

/** Exit 0 if the class is known. `endStatus`: the engine's status, which the log may not contain. */
export async function classifyVerb(io: VerbIo, endStatus: string | undefined): Promise<number> {
  const status = STATUSES.find((one) => one === endStatus) ?? null;
  if (endStatus !== undefined && status === null)
    return usageError(io, `--end-status is one of ${STATUSES.join(', ')}`);
  const diagnosis = createDiagnosis();
  let [characters, unreadable] = [0, 0];
  for await (const line of readLogLines(io.stdin)) {
    characters += line.length;
    unreadable += line.match(NO_TEXT)?.length ?? 0;
    diagnosis.read(line);
  }
  if (unreadable > NO_TEXT_SHARE_MAX * characters)
    return refuse(io, {
      code: 'not-text',
      message: 'standard input is not a text log. Unpack it first, for example with `gunzip -c job.log.gz`.',
    });
  const found = diagnosis.conclude(status);
  const evidence = found.evidence.map(({ line, text }) => ({ line, text: clean(text) }));
  const traceback = found.traceback === null ? null : { ...found.traceback, message: clean(found.traceback.message) };
  const words = [
    `${found.class} (${found.confidence} confidence); first response: ${found.response}\n`,
    ...(traceback === null ? [] : [`${traceback.file}:${traceback.line}: ${traceback.message}\n`]),
    ...evidence.map(({ line, text }) => `line ${line}: ${text}\n`),
  ];
  reply(io, { ...found, evidence, traceback }, words.join(''));
  return found.class === 'unknown' ? EXIT.no : EXIT.yes;
}
