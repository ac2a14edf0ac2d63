//! Limits the number of HTTP connections and their idle times.
//!
//! Every user of this machine can connect, even without the token. So a connection that sends no request, or does not
//! read its answer, is closed, and their number is limited.

use std::io::{Error, ErrorKind, IoSlice, Result as IoResult};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Sleep;

use super::line_transport;

/// The limits of one server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections: usize,
    /// The timeout for the head of a request, and between two requests.
    pub head: Duration,
    /// The timeout for the body.
    pub body: Duration,
    /// The timeout until the client reads more of its answer.
    pub write: Duration,
    pub largest_body: usize,
    pub sessions: usize,
    /// An unused session is dropped after this time.
    pub session_idle: Duration,
}

const SESSIONS: usize = 64;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            // Each session may keep a stream open and send a request besides. Some are reserved for clients without a
            // session.
            connections: 2 * SESSIONS + 16,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            largest_body: 4 << 20,
            sessions: SESSIONS,
            session_idle: Duration::from_secs(300),
        }
    }
}

/// Accepts connections while the server runs.
pub async fn accept(listener: TcpListener, app: Router, limits: Limits) {
    let free = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No more files can be opened; some may be closed soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = free.clone().try_acquire_owned() else {
            refuse(&stream);
            continue;
        };
        let app = app.clone();
        tokio::spawn(async move {
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(limits.head);
            let stream = TokioIo::new(BoundedStream { stream, write_timeout: limits.write, stalled: None });
            // A client may disconnect at any time.
            let _ = connection.serve_connection(stream, TowerToHyperService::new(app)).await;
            drop(place);
        });
    }
}

/// A connection that fails if it cannot be written to for too long.
struct BoundedStream {
    stream: TcpStream,
    write_timeout: Duration,
    /// Started when the client had no room for a write.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl BoundedStream {
    fn bounded(&mut self, context: &mut Context<'_>, written: Poll<IoResult<usize>>) -> Poll<IoResult<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let write_timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(write_timeout)));
        stalled.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<IoResult<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<IoResult<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.bounded(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<IoResult<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<IoResult<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<IoResult<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// Refuses without waiting.
fn refuse(stream: &TcpStream) {
    let told = "too many connections: close one, and try again\n";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{told}",
        told.len()
    );
    let _ = stream.try_write(answer.as_bytes());
}

/// The state for checking requests.
#[derive(Clone)]
pub struct Checks {
    pub limits: Limits,
    pub sessions: Arc<LocalSessionManager>,
}

/// Passes on complete requests that are messages.
pub async fn only_whole_messages(State(checks): State<Checks>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Limits { body: timeout, largest_body, .. } = checks.limits;
    let too_large = || (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n").into_response();
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > largest_body as u64) {
        return too_large();
    }
    let bytes = match tokio::time::timeout(timeout, to_bytes(body, largest_body)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return too_large(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the request did not come to its end\n").into_response(),
    };
    if !bytes.is_empty()
        && let Err(refused) = line_transport::judge(&bytes)
    {
        return answer(StatusCode::BAD_REQUEST, refused.error, refused.id);
    }
    if let Some(refusal) = checks.refuse_session(&bytes).await {
        return refusal;
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

impl Checks {
    /// Sessions are dropped when closed or idle; their number is limited.
    async fn refuse_session(&self, message: &Bytes) -> Option<Response> {
        let id = line_transport::id_of_initialize(message)?;
        let is_full = self.sessions.sessions.read().await.len() >= self.limits.sessions;
        let told = "too many sessions: end one, or wait until an idle one is freed";
        let error = || ErrorData::new(ErrorCode::INTERNAL_ERROR, told, None);
        is_full.then(|| answer(StatusCode::SERVICE_UNAVAILABLE, error(), Some(id)))
    }
}

fn answer(status: StatusCode, error: ErrorData, id: Option<RequestId>) -> Response {
    let message = TxJsonRpcMessage::<RoleServer>::error(error, id);
    let body = serde_json::to_string(&message).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

#[cfg(test)]
mod tests {
    use axum::routing::any;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const SHORT: Duration = Duration::from_millis(200);

    fn limits() -> Limits {
        Limits { connections: 2, head: SHORT, body: SHORT, write: SHORT, sessions: 0, ..Limits::default() }
    }

    /// More than the buffers between a server and a client that does not read.
    const LARGE: usize = 64 << 20;

    /// A server that answers every message with `ok`, and `/large` with a long text.
    async fn serve(limits: Limits) -> std::io::Result<std::net::SocketAddr> {
        let checks = Checks { limits, sessions: Arc::default() };
        let app = Router::new()
            .route("/mcp", any(|| async { "ok" }))
            .route("/large", any(|| async { vec![b'x'; LARGE] }))
            .layer(axum::middleware::from_fn_with_state(checks, only_whole_messages));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        tokio::spawn(accept(listener, app, limits));
        Ok(address)
    }

    fn run<T>(work: impl Future<Output = std::io::Result<T>>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(work).expect("no failure")
    }

    /// Sends text and reads until the server closes the connection.
    async fn exchange(address: std::net::SocketAddr, sent: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(sent.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn post(body: &str) -> String {
        format!("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn who_says_nothing_is_sent_away() {
        run(async {
            let address = serve(limits()).await?;
            // Each of these would wait forever: nothing, half a head, a missing body.
            assert_eq!(exchange(address, "").await?, "");
            assert!(!exchange(address, "POST /mcp HTTP/1.1\r\nHost: x\r\n").await?.contains("200 OK"));
            let half = exchange(address, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{}").await?;
            assert!(half.starts_with("HTTP/1.1 408"), "{half}");
            // A connection is kept for the next request, and closed if none comes.
            let kept = exchange(address, &post(r#"{"jsonrpc":"2.0","method":"x"}"#)).await?;
            assert!(kept.starts_with("HTTP/1.1 200") && kept.ends_with("ok"), "{kept}");
            Ok(())
        });
    }

    #[test]
    fn there_are_only_so_many_connections() {
        run(async {
            let address = serve(Limits { head: Duration::from_secs(3600), ..limits() }).await?;
            let (mut first, second) = (TcpStream::connect(address).await?, TcpStream::connect(address).await?);
            let third = exchange(address, "").await?;
            assert!(third.starts_with("HTTP/1.1 503"), "{third}");
            // Closed connections free their slots.
            drop(second);
            first.shutdown().await?;
            first.read_to_end(&mut Vec::new()).await?;
            let mut answer = String::new();
            for _ in 0..200 {
                answer = exchange(
                    address,
                    &post(r#"{"jsonrpc":"2.0","method":"x"}"#).replace("Host", "Connection: close\r\nHost"),
                )
                .await?;
                if answer.starts_with("HTTP/1.1 200") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            Ok(())
        });
    }

    #[test]
    fn who_does_not_read_the_answer_is_sent_away() {
        run(async {
            let address = serve(Limits { connections: 1, head: Duration::from_secs(3600), ..limits() }).await?;
            let message = post(r#"{"jsonrpc":"2.0","method":"x"}"#);
            let mut deaf = TcpStream::connect(address).await?;
            deaf.write_all(message.replace("/mcp", "/large").as_bytes()).await?;
            // Only now is the single connection free.
            let mut answer = String::new();
            for _ in 0..500 {
                let closing = message.replace("Host", "Connection: close\r\nHost");
                answer = exchange(address, &closing).await.unwrap_or_default();
                if answer.starts_with("HTTP/1.1 200") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            let mut rest = Vec::new();
            let _ = deaf.read_to_end(&mut rest).await;
            assert!(rest.len() < LARGE, "the answer was cut off: {}", rest.len());
            Ok(())
        });
    }

    #[test]
    fn a_long_answer_comes_whole_to_whoever_reads_it() {
        run(async {
            let address = serve(Limits { write: Duration::from_secs(3600), ..limits() }).await?;
            let message = post(r#"{"jsonrpc":"2.0","method":"x"}"#).replace("/mcp", "/large");
            let answer = exchange(address, &message).await?;
            assert!(answer.len() > LARGE, "{}", answer.len());
            Ok(())
        });
    }

    #[test]
    fn full_sessions_leave_connections_for_requests() {
        let limits = Limits::default();
        assert!(limits.connections > 2 * limits.sessions, "each with a stream and a request: {limits:?}");
    }

    #[test]
    fn what_is_no_message_is_answered_as_one() {
        run(async {
            let address = serve(limits()).await?;
            let broken = exchange(address, &post("{broken")).await?;
            assert!(broken.contains("400 Bad Request") && broken.contains("-32700"), "{broken}");
            let full = exchange(address, &post(r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#)).await?;
            assert!(full.contains("503 Service") && full.contains(r#""id":7"#), "{full}");
            let long = format!("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", 1u64 << 40);
            assert!(exchange(address, &long).await?.contains("413 Payload"));
            Ok(())
        });
    }
}
