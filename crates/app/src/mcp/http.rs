//! Serves MCP over HTTP on this machine, for clients that cannot start a program.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use backstory_files as files;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};
use crate::{home, terminal};

use super::connections::{Checks, Limits, accept, only_whole_messages};
use super::server::Server;

/// The path of the protocol.
const PATH: &str = "/mcp";
const TOKEN_BYTES: usize = 32;
const LARGEST_TOKEN: u64 = 64 << 10;

/// Runs until interrupted.
pub fn serve(settings: McpSettings, port: u16, token_file: Option<&Path>) -> Result<(), AppError> {
    let (token, told) = token(token_file)?;
    let server = Server::new(home::current_folder()?, settings, &[]);
    let runtime = super::serve::runtime()?;
    let served = runtime.block_on(async move {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(|error| {
            AppError::new(ErrorKind::Failed, format!("{address}: {error}"))
                .hint("Another program may use that port: `--port 0` takes a free one.")
        })?;
        let address = listener.local_addr()?;
        terminal::print(&format!("MCP at http://{address}{PATH}\n{told}\nStop with Ctrl-C.\n"))?;
        let limits = Limits::default();
        let app = router(&server, address.port(), &token, limits);
        let stop = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        tokio::select! {
            () = accept(listener, app, limits) => Ok(()),
            () = stop => Ok(()),
        }
    });
    runtime.shutdown_background();
    served
}

fn router(server: &Server, port: u16, token: &str, limits: Limits) -> Router {
    let of_this_machine = ["127.0.0.1", "localhost"];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(of_this_machine.map(|host| format!("{host}:{port}")))
        .with_allowed_origins(of_this_machine.map(|host| format!("http://{host}:{port}")));
    let server = server.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(limits.session_idle);
    let sessions = Arc::new(sessions);
    let service = StreamableHttpService::new(move || Ok(server.for_client()), sessions.clone(), config);
    let checks = Checks { limits, sessions };
    // Hashes are compared, so that the time does not depend on the difference.
    let expected = blake3::hash(format!("Bearer {token}").as_bytes());
    Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(checks, only_whole_messages))
        .layer(from_fn_with_state(expected, only_with_token))
}

async fn only_with_token(State(expected): State<blake3::Hash>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map(|value| blake3::hash(value.as_bytes()));
    if given != Some(expected) {
        let told = "The token is missing or wrong: send `Authorization: Bearer TOKEN`.\n";
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], told).into_response();
    }
    next.run(request).await
}

/// The token, and a message about it for the person.
fn token(file: Option<&Path>) -> Result<(String, String), AppError> {
    let Some(file) = file else {
        let token = random()?;
        let told = format!("Token, shown only here: {token}");
        return Ok((token, told));
    };
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", file.display()));
    match files::read_text(file, LARGEST_TOKEN) {
        Ok(text) if text.trim().len() >= TOKEN_BYTES => {
            Ok((text.trim().to_owned(), format!("The token is the one in {}", file.display())))
        }
        Ok(_) => Err(AppError::new(ErrorKind::Usage, format!("{} holds no token", file.display()))
            .hint("Name a file that is not there yet: a token is written into it.")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let token = random()?;
            write_private(file, &token).map_err(failed)?;
            Ok((token, format!("A new token is in {}", file.display())))
        }
        Err(error) => Err(failed(error)),
    }
}

fn random() -> Result<String, AppError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| AppError::new(ErrorKind::Failed, format!("no random token can be made: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Only its owner may read it.
fn write_private(file: &Path, token: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(files::create_new(file)?, "{token}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn post(port: u16, session: Option<&str>, body: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nAuthorization: Bearer t\r\n{session}\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    #[test]
    fn an_idle_session_is_freed() -> std::io::Result<()> {
        const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let limits = Limits { sessions: 1, session_idle: Duration::from_millis(200), ..Limits::default() };
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port = listener.local_addr()?.port();
            let server = Server::new("/".into(), McpSettings::default(), &[]);
            tokio::spawn(accept(listener, router(&server, port, "t", limits), limits));
            let opened = post(port, None, INITIALIZE).await?;
            assert!(opened.starts_with("HTTP/1.1 200"), "{opened}");
            // Only one session is allowed, so another can start when the first has ended.
            let mut next = String::new();
            for _ in 0..500 {
                next = post(port, None, INITIALIZE).await?;
                if next.starts_with("HTTP/1.1 200") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert!(next.starts_with("HTTP/1.1 200"), "{next}");
            let id = |answer: &str| {
                let line = answer.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            };
            assert_ne!(id(&opened), id(&next));
            let late = post(port, id(&opened).as_deref(), r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await?;
            assert!(late.starts_with("HTTP/1.1 404"), "{late}");
            Ok(())
        })
    }
}
