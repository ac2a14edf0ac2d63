//! Tells a client that waits how far a long call has come, if it asked for that.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::ask_context::{Watch, nobody_watches};

/// No more often than a person can read.
const PAUSE: Duration = Duration::from_millis(100);

/// What watches a call, and what must be waited for before its result is sent:
/// nothing may come after that.
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
