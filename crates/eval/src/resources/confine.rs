//! Prevents a process from starting others, opening sockets and writing files elsewhere.
//!
//! The kernel ends it with SIGSYS at the first forbidden call, so that no error can be
//! swallowed. Writes outside the given folder fail (Landlock, where the kernel has it).

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{ABI, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

use super::Result;

/// The signal of a process that broke the rules.
pub const FORBIDDEN_CALL: i32 = libc::SIGSYS;

#[derive(clap::Args)]
pub struct Confinement {
    /// The folder in which files may be written
    #[arg(long)]
    tree: PathBuf,
    /// Sockets may be opened
    #[arg(long)]
    sockets: bool,
    /// A pair of sockets with itself may be opened, as event loops do
    #[arg(long)]
    socket_pair: bool,
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Replaces this process by the program. Returns only on failure.
pub fn run(confinement: &Confinement) -> Result {
    write_only_in(&confinement.tree)?;
    let mut forbidden = children()?;
    if !confinement.sockets {
        forbidden.extend(calls(&[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen]));
    }
    if !confinement.sockets && !confinement.socket_pair {
        forbidden.extend(calls(&[libc::SYS_socketpair]));
    }
    // Its flags are in memory, where no filter sees them: libc falls back to `clone`.
    install(calls(&[libc::SYS_clone3]), SeccompAction::Errno(libc::ENOSYS as u32))?;
    install(forbidden, SeccompAction::KillProcess)?;
    Err(Command::new(&confinement.program).args(&confinement.arguments).exec().into())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Starting a process, but not a thread; and calls that let the kernel act for others.
fn children() -> Result<Rules> {
    let thread = u64::from(libc::CLONE_THREAD.cast_unsigned());
    let no_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    let mut rules = calls(&[libc::SYS_io_uring_setup]);
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_thread])?]);
    #[cfg(target_arch = "x86_64")]
    rules.extend(calls(&[libc::SYS_fork, libc::SYS_vfork]));
    Ok(rules)
}

/// These calls with any arguments.
fn calls(numbers: &[i64]) -> Rules {
    numbers.iter().map(|number| (*number, Vec::new())).collect()
}

fn install(rules: Rules, action: SeccompAction) -> Result {
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?;
    Ok(apply_filter(&BpfProgram::try_from(filter)?)?)
}

/// If the kernel does not support it, nothing changes; a control of the trials detects that.
fn write_only_in(tree: &Path) -> Result {
    let writing = AccessFs::from_write(ABI::V3);
    let places = [tree, Path::new("/dev/null"), Path::new("/dev/tty")];
    Ruleset::default()
        .handle_access(writing)?
        .create()?
        .add_rules(path_beneath_rules(places, writing))?
        .restrict_self()?;
    Ok(())
}
