/** A broken connection as a client sees it: in process an exception like that of `fetch`, over HTTP a closed socket. */

export class ConnectionLost extends TypeError {
  override readonly name = 'TypeError';

  constructor(moment: 'before' | 'after') {
    super('fetch failed', { cause: new Error(`the connection broke ${moment} GitHub acted`) });
  }
}
