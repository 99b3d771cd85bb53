/**
 * The policies' sentences as marks, kept in the repository so that a clone by itself knows them all, and those among them
 * that ask for nothing, each with the reason.
 */

import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { POLICY_FILES } from './rules.ts';
import type { Sentence } from './sentences.ts';

const marks = z.array(z.string().regex(/^[0-9a-f]{10}$/)).min(1);
const policyFile = z.enum(POLICY_FILES);
const sections = z.array(z.strictObject({ section: z.string().min(1), sentences: marks }));
const aside = z.strictObject({ file: policyFile, why: z.string().min(20), sentences: marks });

/** By the policy's file. */
export type PolicySentences = ReadonlyMap<string, readonly MarkedSentence[]>;
/** A sentence without its words. */
export type MarkedSentence = Pick<Sentence, 'section' | 'mark'>;
/** Sentences that ask for nothing: what introduces a list, tells a story, or is about something else. */
export type Aside = z.infer<typeof aside>;

/** All sentences of all policies, in their order. */
export async function readPolicySentences(file: string): Promise<PolicySentences> {
  const read = z.record(policyFile, sections).parse(parse(await readFile(file, 'utf8')));
  return Map.groupBy(
    Object.entries(read).flatMap(([name, parts]) =>
      parts.flatMap(({ section, sentences }) => sentences.map((mark) => ({ file: name, section, mark }))),
    ),
    (sentence) => sentence.file,
  );
}

/** What asks for nothing, with the reason. */
export async function readAsides(file: string): Promise<readonly Aside[]> {
  return z.array(aside).parse(parse(await readFile(file, 'utf8')));
}

/** The text of the file that `readPolicySentences` reads: sentences of a section that stand together are one list. */
export function policySentencesText(policies: ReadonlyMap<string, readonly Sentence[]>): string {
  const files = [...policies].map(([file, sentences]) => {
    const parts: { section: string; sentences: string[] }[] = [];
    for (const { section, mark } of sentences) {
      const last = parts.at(-1);
      if (last?.section === section) last.sentences.push(mark);
      else parts.push({ section, sentences: [mark] });
    }
    return [file, parts];
  });
  return `${HEAD}${stringify(Object.fromEntries(files), { lineWidth: 120, flowCollectionPadding: false })}`;
}

const HEAD =
  '# Marks of all sentences of the five policies, in their order: made by `node scripts/policy-coverage.ts FOLDER`.\n';
