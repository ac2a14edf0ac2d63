//! Sends one question to a service and reads the answer.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use crate::config::Service;
use crate::environment;

const CONNECT: Duration = Duration::from_secs(5);
/// The pause before retrying a busy service, unless it specifies one.
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// No usable answer is larger.
const LARGEST_ANSWER: u64 = 64 << 20;
/// At most this much of an unwanted answer is shown.
const SHOWN: usize = 200;

/// The timeout of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// A person waits for it.
    Question,
    /// Background work.
    Batch,
}

pub struct Client {
    agent: Agent,
    url: String,
    key: Option<String>,
}

/// Why there is no answer, and whether a retry may help.
struct Failure {
    message: String,
    retry_after: Option<Duration>,
}

impl Client {
    pub fn new(service: &Service, timeout: Timeout) -> Result<Self, String> {
        let key = service.api_key_env.as_deref().map(|name| {
            let missing = || format!("the environment variable {name} (api_key_env in config.toml) is not set");
            environment::variable(name).ok_or_else(missing)
        });
        let whole = match timeout {
            Timeout::Question => Duration::from_secs(20),
            Timeout::Batch => Duration::from_secs(180),
        };
        let agent = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(whole))
            .http_status_as_error(false)
            // Texts are sent only to the configured address.
            .max_redirects(0)
            .user_agent(concat!("backstory/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Client { agent, url: service.url.clone(), key: key.transpose()? })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks once, and again if the service is only busy.
    pub fn ask(&self, question: &Value) -> Result<Value, String> {
        let body = question.to_string();
        let first = self.try_to_ask(&body);
        let answer = match first {
            Err(Failure { retry_after: Some(pause), .. }) => {
                std::thread::sleep(pause.min(LONGEST_PAUSE));
                self.try_to_ask(&body)
            }
            done => done,
        };
        answer.map_err(|failure| failure.message)
    }

    fn try_to_ask(&self, body: &str) -> Result<Value, Failure> {
        let lost = |error: ureq::Error| Failure { message: format!("{}: {error}", self.url), retry_after: None };
        let mut request = self.agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(lost)?;
        let status = response.status();
        let asked_to_wait = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let answer = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec().map_err(lost)?;
        if !status.is_success() {
            let is_passing = status.as_u16() == 429 || status.is_server_error();
            let pause = asked_to_wait.map_or(PAUSE, Duration::from_secs);
            let message = format!("{} answered with status {}: {}", self.url, status.as_u16(), self.excerpt(&answer));
            return Err(Failure { message, retry_after: is_passing.then_some(pause) });
        }
        serde_json::from_slice(&answer).map_err(|_| Failure {
            message: format!("{} did not answer with JSON: {}", self.url, self.excerpt(&answer)),
            retry_after: None,
        })
    }

    /// Some services repeat the key in their error message.
    fn excerpt(&self, answer: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(answer).split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(key) = &self.key {
            text = text.replace(key.as_str(), "[key]");
        }
        match text.is_empty() {
            true => "(nothing)".to_owned(),
            false => text.chars().take(SHOWN).collect(),
        }
    }
}
