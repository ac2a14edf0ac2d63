use crate::error::AppError;

/// See what the memory can do, on a small sample project
#[derive(clap::Args)]
pub struct Demo {}

impl Demo {
    pub fn run(self) -> Result<(), AppError> {
        Ok(())
    }
}
