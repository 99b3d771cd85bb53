/** Signs the bytes of a webhook (docs.github.com/webhooks: validating webhook deliveries). */

import { createHmac } from 'node:crypto';

/** `sha256=<hex>`, HMAC-SHA256 of the exact text under the App's webhook secret. */
export function signature256(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** The older `x-hub-signature`, which GitHub still sends. */
export function signature1(body: string, secret: string): string {
  return `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
}

/** A version 4 GUID from 16 random bytes. */
export function formatGuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? '8';
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
