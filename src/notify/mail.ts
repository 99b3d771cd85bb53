/** Mail over SMTP. The address is a URL: `smtps://USER:PASSWORD@HOST/?from=bot@lab.example&to=oncall@lab.example`. */

import { createTransport } from 'nodemailer';
import type { Delivery } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import type { Channel, ChannelHost } from './channel.ts';

/** Rate-limited mail servers do not send a retry time. */
const CHANNEL_MAIL_PAUSE_MS = 5_000;

/** No header contains a value of a run. */
const SUBJECT = 'ferrybot: a run needs a person';

export const send: Channel['send'] = async ({ title, text, url }, address, host) => {
  const place = parseMailAddress(address);
  if (place === null) return { outcome: 'failed', why: 'the address is no smtp:// or smtps:// URL with from and to' };
  const { from, to, ...server } = place;
  const transport = createTransport({
    ...server,
    // Never send a password unencrypted.
    requireTLS: server.auth !== undefined,
    connectionTimeout: limits.channelTimeoutMs,
    greetingTimeout: limits.channelTimeoutMs,
    socketTimeout: limits.channelTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mail = { from, to: [...to], subject: SUBJECT, text: `${title}\n\n${text}\n\n${url}\n` };
  try {
    return await deliverWithRetry(() => transport.sendMail(mail), host);
  } finally {
    transport.close();
  }
};

/** Retries only temporary refusals (4xx). */
async function deliverWithRetry(work: () => Promise<unknown>, { sleep }: ChannelHost): Promise<Delivery> {
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await readRefusal(work);
    if (refusal === null) return { outcome: 'sent', why: '' };
    const { status, isSent } = refusal;
    if (status === null) return { outcome: isSent ? 'unknown' : 'failed', why: 'the mail server could not be reached' };
    if (status >= 500 || attempt >= limits.channelTriesMax) return { outcome: 'failed', why: `status ${status}` };
    await sleep(CHANNEL_MAIL_PAUSE_MS);
  }
}

/** SMTP commands before the message itself. */
const CODES_BEFORE_SENDING = /^(?:API|CONN|STARTTLS|EHLO|HELO|AUTH|MAIL FROM|RCPT TO)/;

type MailRefusal = { readonly status: number | null; readonly isSent: boolean };

/** Null if the mail was accepted. Reads only the status, because messages may contain the address. */
async function readRefusal(work: () => Promise<unknown>): Promise<MailRefusal | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const status = 'responseCode' in error ? Number(error.responseCode) : Number.NaN;
    const command = 'command' in error ? String(error.command) : '';
    const isSent = !CODES_BEFORE_SENDING.test(command);
    return { status: Number.isInteger(status) ? status : null, isSent };
  }
}

type MailServer = {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly from: string;
  readonly to: readonly string[];
};

function parseMailAddress(address: string): MailServer | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return null;
  const secure = url.protocol === 'smtps:';
  const from = url.searchParams.get('from') ?? '';
  const to = (url.searchParams.get('to') ?? '').split(',').filter((one) => one !== '');
  if (url.hostname === '' || ![from, ...to].every(isMailbox) || to.length === 0) return null;
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    from,
    to,
  };
}

/** One address without name, list or line break. */
function isMailbox(text: string): boolean {
  return /^[\w.+-]{1,64}@[\w.-]{1,253}$/.test(text);
}
