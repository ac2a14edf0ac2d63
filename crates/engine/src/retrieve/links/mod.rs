//! Which intent had which consequence?
//!
//! - [`links`]: those that are stored, of a project, a chunk, a cluster, a file, a time.
//! - [`link_session`]: one transcript or session, linked again with chosen options.

mod list;
mod places;
mod session;

pub use list::{LinkItem, Links, links};
pub use session::{KernelName, LinkSessionError, LinkedSession, SessionLine, link_episode, link_session, only_session};
