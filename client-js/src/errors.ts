/**
 * Why a call failed. `code` is one of the server's error codes (protocol.md, section 10) or of the client's own:
 * `overflow`, `uncertain`, `logged_out`, `id_conflict`, `no_websocket`, `no_fetch`, `no_url`, `not_loaded`,
 * `token_failed`, `storage_failed`, `storage_in_use`, `http_<status>`, `unreachable`.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';

  constructor(
    readonly code: string,
    message: string,
    /** For `overflow`: the message had been sent already, and may arrive. */
    readonly uncertain: boolean = code === 'uncertain',
  ) {
    super(message);
  }
}
