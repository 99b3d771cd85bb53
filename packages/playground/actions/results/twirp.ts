/** JSON answers and error codes of a Twirp service (twitchtv.github.io/twirp, "Twirp Wire Protocol"). */

import type * as z from 'zod';
import type { Json } from '../../world/json.ts';
import type { World } from '../../world/world.ts';
import type { RunningJob } from './runtime-token.ts';

const STATUS = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  bad_route: 404,
  already_exists: 409,
  failed_precondition: 412,
  unimplemented: 501,
} as const;

type TwirpCode = keyof typeof STATUS;
type TwirpAnswer =
  | { readonly ok: true; readonly body: Json }
  | { readonly ok: false; readonly code: TwirpCode; readonly msg: string };
/** One method of a service, called by the job that the token identifies. */
export type TwirpMethod = (world: World, by: RunningJob, body: unknown) => TwirpAnswer;

export function jsonAnswer(body: Json): TwirpAnswer {
  return { ok: true, body };
}

export function errorAnswer(code: TwirpCode, msg: string): TwirpAnswer {
  return { ok: false, code, msg };
}

/** A method that validates its request body with this schema. */
export function twirpMethod<Body>(
  schema: z.ZodType<Body>,
  handle: (world: World, by: RunningJob, body: Body) => TwirpAnswer,
): TwirpMethod {
  return (world, by, body) => {
    const parsed = schema.safeParse(body);
    if (parsed.success) return handle(world, by, parsed.data);
    const [issue] = parsed.error.issues;
    return errorAnswer('invalid_argument', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  };
}

export function toResponse(answer: TwirpAnswer): Response {
  if (answer.ok) return Response.json(answer.body);
  const { code, msg } = answer;
  return Response.json({ code, msg }, { status: STATUS[code] });
}
