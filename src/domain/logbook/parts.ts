/** Schemas shared by events. */

import * as z from 'zod';
import { type Digest, isDigest, isRunId, isSha, type RunId, type Sha } from '../values.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
export const text = z.string();
export const integer = z.int();
export const integerOrNull = z.int().nullable();
/** Whole millionths of a dollar, or a count. */
export const amount = z.int().min(0);

export const digest = z.custom<Digest>((value) => isText(value) && isDigest(value), 'not sha256:<64 hex>');
export const sha = z.custom<Sha>((value) => isText(value) && isSha(value), 'not a commit id');
export const runId = z.custom<RunId>((value) => isText(value) && isRunId(value), 'not a run id');

export const texts = z.record(z.string(), text);
export const scalars = z.record(z.string(), z.union([text, z.int()]));

export const actorSchema = z.object({ id: z.int(), login: text });

type ReadonlyDeep<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> };

/** The type of what a schema describes. */
export type Parsed<Schema extends z.ZodType> = ReadonlyDeep<z.infer<Schema>>;

/** Who signs: control decides, the runner submits, the watch observes. */
export const ROLES = ['control', 'runner', 'watch'] as const;
export type Role = (typeof ROLES)[number];

/** A public key from the config: raw Ed25519 in base64, valid from/until (RFC 3339). */
export const publicKeySchema = z.object({ id: text, role: z.enum(ROLES), public: text, from: text, until: text });
export type PublicKey = Readonly<z.infer<typeof publicKeySchema>>;
