//! Reports the progress of a long call to a client that requested it.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::ask_context::{Watch, nobody_watches};

/// The interval is long enough for a person to read.
const PAUSE: Duration = Duration::from_millis(100);

/// The watch for a call, and a task to await before the result is sent: nothing may follow the result.
pub fn watch(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> (Watch, Option<JoinHandle<()>>) {
    let Some(token) = token else { return (nobody_watches(), None) };
    let (sender, mut heard) = unbounded_channel::<String>();
    let telling = tokio::spawn(async move {
        let mut step = 0.0;
        while let Some(message) = heard.recv().await {
            step += 1.0;
            let told = ProgressNotificationParam::new(token.clone(), step).with_message(message);
            if peer.notify_progress(told).await.is_err() {
                return;
            }
        }
    });
    (watcher(sender), Some(telling))
}

fn watcher(sender: UnboundedSender<String>) -> Watch {
    let mut last: Option<Instant> = None;
    Box::new(move |what, done, total| {
        if last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        last = Some(Instant::now());
        let message = match total {
            0 => format!("{what}: {done}"),
            _ => format!("{what}: {done} of {total}"),
        };
        let _ = sender.send(message);
    })
}
