use backstory_files::git::{Around, around};

use super::super::{is_mark_of_long_history, mark_of_long_history};
use super::*;

#[test]
fn folders_that_are_not_here_are_told_apart_by_path() {
    let mut projects = Projects::default();
    let shop = projects.of_folder("/nowhere/ada/shop");
    assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/").id);
    assert_ne!(shop.id, projects.of_folder("/nowhere/bob/shop").id);
    assert_eq!(shop.name(), "shop");
    assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/.worktrees/ada/fix").id);
}

/// Pipes and endless files in the place of a repository's files do not block.
#[cfg(unix)]
#[test]
fn only_regular_files_of_a_repository_are_read() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for (name, file) in [("a", ".git/HEAD"), ("b", ".git/config"), ("c", ".git/shallow"), ("d", ".git")] {
        let place = std::fs::canonicalize(folder.path())?.join(name);
        if file == ".git" {
            std::fs::create_dir_all(&place)?;
        } else {
            git2::Repository::init(&place)?;
            let _ = std::fs::remove_file(place.join(file));
        }
        std::os::unix::fs::symlink("/dev/zero", place.join(file))?;
        let found = around(&place, None);
        assert!(matches!(found, Around::Unproven(_)) || name == "c", "{name}: {found:?}");
        let project = Projects::default().of_folder(&place.to_string_lossy());
        assert_eq!((project.path.as_str(), project.remote), (&*place.to_string_lossy(), None));
    }
    Ok(())
}

fn commit(repository: &git2::Repository) -> Result<String, git2::Error> {
    let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_770_000_000, 0))?;
    let tree = repository.find_tree(repository.treebuilder(None)?.write()?)?;
    Ok(repository.commit(Some("HEAD"), &who, &who, "Begin", &tree, &[])?.to_string())
}

/// A history that was too long is not walked again while its starting commit exists.
#[test]
fn a_long_history_is_walked_once() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let place = std::fs::canonicalize(folder.path())?.to_string_lossy().into_owned();
    let tip = commit(&git2::Repository::init(&place)?)?;
    let root = |mark: String| Projects::default().with_roots([(place.clone(), mark)]).of_folder(&place).root_commit;
    assert_eq!(root(format!("-{tip}")), None);
    for other in [format!("-{}", "1".repeat(40)), "-".to_owned(), String::new()] {
        assert_eq!(root(other), Some(tip.clone()));
    }
    assert_eq!(mark_of_long_history(&place), None);
    assert!(is_mark_of_long_history(&format!("-{tip}")) && !is_mark_of_long_history(&tip));
    Ok(())
}
