//! Which intent had which consequence?
//!
//! - [`links`]: stored links, by project, chunk, cluster, file or time.
//! - [`link_session`]: relinks one transcript or session with chosen options.

mod list;
mod places;
mod session;

pub use list::{LinkItem, Links, links};
pub use session::{KernelName, LinkSessionError, LinkedSession, SessionLine, link_episode, link_session, only_session};
