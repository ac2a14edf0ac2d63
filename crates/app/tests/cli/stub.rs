//! An OpenAI-compatible service in a thread, as far as Backstory uses it.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// More requests than any test makes, so that a looping client stops.
const MOST_REQUESTS: usize = 500;
const LARGEST_REQUEST: usize = 1 << 20;

pub struct Stub {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    mood: Mood,
    requests: Vec<Asked>,
    closed: bool,
}

/// The service's behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// With vectors of this length, or with a name.
    Well { dim: usize },
    /// With a status once, then well.
    BusyOnce { status: u16, dim: usize },
    /// Always with this status; it repeats the given key.
    Refusing { status: u16 },
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub authorization: String,
    pub body: Value,
}

impl Asked {
    pub fn texts(&self) -> Vec<String> {
        let texts = self.body["input"].as_array().into_iter().flatten();
        texts.filter_map(|text| Some(text.as_str()?.to_owned())).collect()
    }
}

impl Stub {
    pub fn start(mood: Mood) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Mutex::new(Shared { mood, requests: Vec::new(), closed: false }));
        let seen = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().take(MOST_REQUESTS).flatten() {
                if locked(&seen).closed {
                    return;
                }
                // A client may disconnect.
                let _ = serve(stream, &seen);
            }
        });
        Ok(Stub { address, shared, thread: Some(thread) })
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn set(&self, mood: Mood) {
        locked(&self.shared).mood = mood;
    }

    pub fn requests(&self) -> Vec<Asked> {
        locked(&self.shared).requests.clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        locked(&self.shared).closed = true;
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn locked(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn serve(stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let asked = read(&mut reader)?;
    let (status, answer) = {
        let mut shared = locked(shared);
        shared.requests.push(asked.clone());
        let mood = shared.mood;
        if let Mood::BusyOnce { dim, .. } = mood {
            shared.mood = Mood::Well { dim };
        }
        match mood {
            Mood::Well { dim } => (200, answer(&asked, dim)),
            Mood::BusyOnce { status, .. } => (status, json!({"error": "busy"})),
            Mood::Refusing { status } => (status, json!({"error": format!("refused {}", asked.authorization)})),
        }
    };
    let body = answer.to_string();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn read(reader: &mut impl BufRead) -> std::io::Result<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let (mut length, mut authorization) = (0, String::new());
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length.min(LARGEST_REQUEST)];
    reader.read_exact(&mut body)?;
    Ok(Asked { path, authorization, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn answer(asked: &Asked, dim: usize) -> Value {
    if asked.path.ends_with("/chat/completions") {
        let question = asked.body["messages"][1]["content"].as_str().unwrap_or_default();
        if let Some((_, places)) = question.split_once("Places:\n") {
            // Usually the first place.
            let count = places.lines().take_while(|line| !line.is_empty()).count();
            let shares: Vec<f32> = (0..count).map(|at| if at == 0 { 0.9 } else { 0.1 }).collect();
            let content = json!({"probabilities": shares}).to_string();
            return json!({"choices": [{"message": {"role": "assistant", "content": content}}]});
        }
        return json!({"choices": [{"message": {"role": "assistant", "content": "\"A topic with a name.\"\n"}}]});
    }
    // Out of order, as services may answer.
    let mut data: Vec<Value> = asked
        .texts()
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"index": index, "embedding": vector(text, dim)}))
        .collect();
    data.reverse();
    json!({"data": data, "model": asked.body["model"]})
}

/// Knows two topics; every other text gets an arbitrary vector.
fn vector(text: &str, dim: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dim];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match word {
            "goose" | "waterfowl" => vector[0] += 10.0,
            "kettle" | "teapot" => vector[1] += 10.0,
            _ => vector[2 + word.bytes().map(usize::from).sum::<usize>() % (dim - 2)] += 1.0,
        }
    }
    vector
}
