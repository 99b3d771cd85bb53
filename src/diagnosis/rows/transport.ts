/** Links between processes, and to what lies outside: mostly what others say when one has died. */

import { type Row, rows } from '../row.ts';

/** Messages of NCCL, Gloo, MPI, gRPC, HTTP clients and sockets. */
export const TRANSPORT_ROWS: readonly Row[] = [
  ...rows('cause', 'network', 'high', [
    /EndpointConnectionError|Could not connect to the endpoint|(?:Connect|Read) timeout on endpoint|\bCouldn't reach '?[\w./-]{1,120}'? on the Hub|NameResolutionError/,
    /Temporary failure in name resolution|Name or service not known|getaddrinfo failed|nodename nor servname provided|Could not resolve host/,
    /\bUCX +ERROR\b|[Dd]estination is unreachable|Unreachable remote/,
    /Network is (?:unreachable|down)|No route to host|Host is down|\[Errno (?:100|101|102|112|113)\]/,
    /Got async event ?: ?(?:port|link|device) error|\bIB\b.{0,60}(?:Got completion .{0,60}error|link (?:is )?down)|ibv_(?:poll_cq|modify_qp|create_qp|reg_mr)\b.{0,80}(?:fail|error)|Got completion from peer .{0,80}(?:status|error)/i,
    /socket(?:Start|Poll|Final)?Connect(?:Check)?:? ?.{0,20}(?:Connect to|connect to|exceeded|failed)/,
    // A service that went on saying so.
    /\btoo many 5\d\d error responses\b/,
  ]),
  ...rows('cause', 'network', 'medium', [
    /\b429\b.{0,40}(?:Too Many|Client Error)|(?:had to|we|being) rate[- ]?limit/i,
    /NET\/(?:IB|OFI|Socket).{0,80}(?:fail|error|timed? ?out|unable)|\b(?:libfabric|EFA)\b.{0,60}(?:error|fail)/i,
  ]),
  ...rows('effect', 'network', 'medium', [
    /\bdial tcp\b.{0,80}(?:timeout|refused|no route|reset|misbehaving|no such host)|ibv_poll_cq returned status|NCCL WARN Timeout waiting|SocketException: Connection reset|\bhandshake failure\b/,
    /Unable to connect to endpoint|\boperation timed out\b|\bgloo::\w{1,40}|\bHCCL\b.{0,80}(?:[Tt]imed? ?out|fail)|Curl returned error code|StatusCode\.DEADLINE_EXCEEDED|Deadline of [\d.]{1,12}s exceeded while calling|NCCL WARN .{0,60}\b[Ss]ocket\b/,
    /[Cc]ould(?: not|n't) communicate with|[Ee]rror communicating with|Run initialization has timed out|CommError: .{0,200}(?:[Tt]imed? ?out|\b50\d\b|[Nn]etwork|[Cc]onnect)|Network error \(|NCCL communicator (?:was|is) aborted/,
    /\b[Ss]ocket [Tt]imeout\b|The client socket has timed out after|client socket has failed to connect|failed to connect to \(?\[?[\w.:-]{1,120}/i,
    /ncclRemoteError|ncclSystemError|ncclInternalError|NCCL error.{0,160}(?:unhandled system|remote|network|system error)|NCCL WARN .{0,60}(?:Call to (?:connect|recv|send|bind)|Connect(?:ion)? .{0,40}(?:fail|refused|closed|reset))/i,
    /remote process exited or there was a network error|Connection closed by (?:remote )?peer|Connection closed by \[|Connection reset by peer|\bECONNRESET\b/i,
    /[Cc]ould(?: not|n't) connect to '?https?:|[Cc]heck (?:your|the) (?:internet |network )?connection|[Cc]heckout your internet connection|[Ss]erver [Dd]isconnected/,
    /RendezvousConnectionError|[Cc]onnection to the C10d store has failed/,
    // The classes of aiohttp, httpx, requests and fsspec.
    /^(?:[\w.]{0,120}\.)?(?:FSTimeoutError|ServerTimeoutError|SocketTimeoutError|ConnectionTimeoutError|ClientPayloadError|ClientOSError|ClientConnectionError|ClientConnectorDNSError|ConnectError|WriteTimeout|PoolTimeout|RemoteProtocolError|ChunkedEncodingError|LocalEntryNotFoundError)\b/,
    /^(?:[\w.]{0,120}\.)?(?:ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|BrokenPipeError|ConnectTimeout|ReadTimeout|ConnectionError|NewConnectionError|MaxRetryError|ClientConnectorError|ServerDisconnectedError|IncompleteRead|ProtocolError|RemoteDisconnected|SSLError|SSLEOFError|ProxyError)\b/,
    /Connection refused|\bECONNREFUSED\b|Connection timed out|\bETIMEDOUT\b|Read timed out|Max retries exceeded with url|EOF occurred in violation of protocol|Remote end closed connection/,
    /failed to connect to all addresses|(?:StatusCode|status)[.: =]{0,3}UNAVAILABLE|UNAVAILABLE: (?:Connection|connection|Socket|recvmsg|Broken|failed to connect|ipv[46])|too_many_pings|GOAWAY/,
    /TCPStore.{0,60}(?:recvValue|timed? ?out|fail)|store->(?:get|set|wait|add)\b.{0,60}error|Timeout waiting for key|\bwait timeout after \d|recvValue failed|sendBytes failed|Broken pipe|DistNetworkError|DistStoreError|c10d::DistBackendError/i,
    /(?:HTTP(?:Error|StatusError)?|status(?: code)?|Server Error|error)[: =]{0,3}(?:502|503|504)\b|\b500 Server Error: |(?:502 Bad Gateway|503 Service Unavailable|504 Gateway Time-?out)/i,
  ]),
  ...rows('hint', 'network', 'low', [
    /\bMPI_ABORT was invoked|ORTE has lost communication|btl_tcp|\bgloo\b.{0,80}(?:error|timed? ?out)/i,
  ]),
];
