//! Checks a client's input line by line before the SDK reads it.
//!
//! The SDK silently drops invalid JSON, and a client that sent a broken line would wait forever. So such lines are
//! answered, and the server continues.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// The end of a longer line is not read; calls are refused long before.
const LONGEST: usize = 64 << 20;

/// A line that is answered here and not passed on.
pub struct Refused {
    pub id: Option<RequestId>,
    pub error: ErrorData,
}

/// The transport, with answers to lines that are not messages.
pub struct LineTransport<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Checked<R>, W>,
    refused: UnboundedReceiver<Refused>,
    /// The answer being sent. It is a separate task, because the SDK drops the receive future as soon as it has
    /// something else to do.
    sending: Option<JoinHandle<io::Result<()>>>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub fn new(input: R, output: W) -> Self {
        let (send, refused) = unbounded_channel();
        let checked = Checked { inner: input, line: Line::default(), ready: Vec::new(), at: 0, refused: send };
        // `Checked` has its own limit, and answers.
        let inner = AsyncRwTransport::new_server(checked, output).with_max_line_length(usize::MAX);
        LineTransport { inner, refused, sending: None }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // This future may be dropped at any await without losing anything.
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?.ok()?;
            }
            let refused = tokio::select! {
                biased;
                Some(refused) = self.refused.recv() => refused,
                message = self.inner.receive() => match message {
                    Some(message) => return Some(message),
                    // The last line may be a broken one.
                    None => self.refused.try_recv().ok()?,
                },
            };
            let answer = TxJsonRpcMessage::<RoleServer>::error(refused.error, refused.id);
            self.sending = Some(tokio::spawn(self.inner.send(answer)));
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Passes on possible messages, whole lines at a time.
struct Checked<R> {
    inner: R,
    line: Line,
    /// Whole lines; those before `at` were taken.
    ready: Vec<u8>,
    at: usize,
    refused: UnboundedSender<Refused>,
}

/// The incomplete line.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// It was too long, and the rest of it is skipped.
    is_dropped: bool,
}

impl<R> Checked<R> {
    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            if !self.line.is_dropped && self.line.bytes.len() + part.len() > LONGEST {
                self.line = Line { bytes: Vec::new(), is_dropped: true };
                self.refuse(Refused { id: None, error: invalid("the line is too long") });
            }
            if !self.line.is_dropped {
                self.line.bytes.extend_from_slice(part);
            }
            if ends {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_dropped {
            return;
        }
        match judge(&line.bytes) {
            Ok(()) => self.ready.extend_from_slice(&line.bytes),
            Err(refused) => self.refuse(refused),
        }
    }

    fn refuse(&self, refused: Refused) {
        // There is no receiver when the server ends.
        let _ = self.refused.send(refused);
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Checked<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let mut bytes = [0; 16 << 10];
        while this.at == this.ready.len() {
            this.ready.clear();
            this.at = 0;
            let mut read = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut read))?;
            if !read.filled().is_empty() {
                this.take(read.filled());
            } else if this.line.bytes.is_empty() {
                return Poll::Ready(Ok(()));
            } else {
                // The last line counts without a line break.
                this.line.bytes.push(b'\n');
                this.end_line();
            }
        }
        let left = &this.ready[this.at..];
        let some = &left[..left.len().min(out.remaining())];
        out.put_slice(some);
        this.at += some.len();
        Poll::Ready(Ok(()))
    }
}

/// The common fields of all messages.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The id of a request that starts a session.
pub fn id_of_initialize(message: &[u8]) -> Option<RequestId> {
    let envelope: Envelope<'_> = serde_json::from_slice(message).ok()?;
    let begins = envelope.method.is_some_and(|method| method.get() == "\"initialize\"");
    read_id(envelope.id.filter(|_| begins)?)
}

/// Can this be a message? The method itself reports faults in its parameters.
pub fn judge(line: &[u8]) -> Result<(), Refused> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    if serde_json::from_slice::<IgnoredAny>(line).is_err() {
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, "this is not JSON", None);
        return Err(Refused { id: None, error });
    }
    // The SDK answers other shapes without their id, so the client would not know what was refused.
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else {
        return Err(Refused { id: None, error: invalid("a message must be one object") });
    };
    let id = envelope.id.and_then(read_id);
    let fault = match &envelope {
        Envelope { id: Some(_), .. } if id.is_none() => "`id` must be a string or an integer",
        Envelope { jsonrpc, .. } if jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") => {
            "`jsonrpc` must be \"2.0\""
        }
        Envelope { method: Some(method), .. } if !method.get().starts_with('"') => "`method` must be a string",
        Envelope { method: None, result: None, error: None, .. } => "`method` is missing",
        Envelope { method: Some(_), params: Some(params), .. } if !params.get().starts_with('{') => {
            "`params` must be an object"
        }
        _ => return Ok(()),
    };
    Err(Refused { id, error: invalid(fault) })
}

fn read_id(id: &RawValue) -> Option<RequestId> {
    serde_json::from_str(id.get()).ok()
}

fn invalid(message: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, message, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    fn checked(input: &'static [u8]) -> (String, Vec<i32>) {
        let (send, mut refused) = unbounded_channel();
        let mut checked = Checked { inner: input, line: Line::default(), ready: Vec::new(), at: 0, refused: send };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut passed = String::new();
        runtime.block_on(checked.read_to_string(&mut passed)).expect("text");
        drop(checked);
        let codes = std::iter::from_fn(|| refused.try_recv().ok()).map(|refused| refused.error.code.0).collect();
        (passed, codes)
    }

    #[test]
    fn broken_lines_are_answered_and_the_others_pass() {
        let (passed, codes) =
            checked(b"{\"jsonrpc\":\"2.0\",\n\n\xff\xfe\n[1,2]\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}");
        assert_eq!(passed, "\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}\n");
        assert_eq!(codes, [-32700, -32700, -32600]);
    }

    #[test]
    fn what_is_refused_is_named_by_its_id() {
        let told = |line: &str| {
            let refused = judge(line.as_bytes()).err()?;
            Some((refused.id.map(|id| id.to_string()), refused.error.message.into_owned()))
        };
        let version = r#""jsonrpc":"2.0""#;
        for (line, id, fault) in [
            (format!("{{{version},\"id\":2}}"), Some("2"), "`method` is missing"),
            (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#.to_owned(), Some("3"), "`jsonrpc` must be \"2.0\""),
            (r#"{"id":"a","method":"ping"}"#.to_owned(), Some("a"), "`jsonrpc` must be \"2.0\""),
            (format!("{{{version},\"id\":4,\"method\":5}}"), Some("4"), "`method` must be a string"),
            (
                format!("{{{version},\"id\":6,\"method\":\"x\",\"params\":[1]}}"),
                Some("6"),
                "`params` must be an object",
            ),
            (format!("{{{version},\"id\":{{}},\"method\":\"x\"}}"), None, "`id` must be a string or an integer"),
            (format!("[{{{version},\"id\":7,\"method\":\"ping\"}}]"), None, "a message must be one object"),
        ] {
            assert_eq!(told(&line), Some((id.map(str::to_owned), fault.to_owned())), "{line}");
        }
        for line in [r#""method":"x""#, r#""id":1,"result":{}"#, r#""id":1,"error":{"code":1,"message":"m"}"#] {
            assert_eq!(told(&format!("{{{version},{line}}}")), None, "{line}");
        }
    }

    #[test]
    fn an_answer_that_was_begun_comes_to_its_end() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let told = runtime.block_on(async {
            // Only some bytes of an answer fit until the client reads.
            let (output, mut client) = tokio::io::duplex(8);
            let mut lines = LineTransport::new(&b"{broken\nbroken too"[..], output);
            for _ in 0..3 {
                tokio::select! {
                    biased;
                    _ = lines.receive() => panic!("nobody reads the answer"),
                    () = tokio::task::yield_now() => {}
                }
            }
            let receive = async move { assert!(lines.receive().await.is_none()) };
            let mut told = String::new();
            let (_, read) = tokio::join!(receive, client.read_to_string(&mut told));
            read.map(|_| told)
        });
        let told = told.expect("text");
        assert_eq!(told.lines().filter(|line| line.contains("-32700")).count(), 2, "{told}");
    }
}
