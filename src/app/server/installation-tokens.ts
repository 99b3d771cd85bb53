/** Installation tokens by GitHub's clock: a machine that slept, or whose clock is wrong, would keep using a dead one. */

import type { Probot } from 'probot';
import { z } from 'zod';
import { limits } from '../../domain/limits.ts';

const minted = z.object({ token: z.string().min(1), expires_at: z.string() });

export type InstallationTokens = {
  readonly current: (nowMs: number) => Promise<string>;
  /** A token keeps the permissions that it was minted with: after a change of them the next one is minted anew. */
  readonly forget: () => void;
};

/** Tokens of one installation. GitHub gives them an hour; a new one is minted some minutes before. */
export async function installationTokens(
  probot: Probot,
  installationId: number,
): Promise<InstallationTokens> {
  const app = await probot.auth();
  let held: { readonly token: string; readonly expiresAtMs: number } | null = null;
  return {
    current: async (nowMs) => {
      if (held !== null && held.expiresAtMs - nowMs > limits.tokenSlackMs) return held.token;
      const { data } = await app.request('POST /app/installations/{installation_id}/access_tokens', {
        installation_id: installationId,
      });
      const answer = minted.parse(data);
      held = { token: answer.token, expiresAtMs: Date.parse(answer.expires_at) };
      return held.token;
    },
    forget: () => {
      held = null;
    },
  };
}
