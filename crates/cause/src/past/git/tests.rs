use super::*;
use git2::{Delta, IndexEntry, IndexTime, Signature, Time};
use std::collections::BTreeMap;

/// A repository whose commits are written from lists of files.
struct Fixture {
    folder: tempfile::TempDir,
    repository: Repository,
    time: i64,
}

type Files<'a> = &'a [(&'a str, &'a str)];

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init_bare(folder.path()).unwrap();
        Self { folder, repository, time: 1_700_000_000 }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Commits exactly these files on HEAD's branch.
    fn commit(&mut self, message: &str, parents: &[Oid], files: Files<'_>) -> Oid {
        self.time += 60;
        let tree = self.tree(files);
        self.commit_tree(message, parents, tree, self.time)
    }

    fn tree(&self, files: Files<'_>) -> Oid {
        let mut index = git2::Index::new().unwrap();
        for (path, text) in files {
            let id = self.repository.blob(text.as_bytes()).unwrap();
            index.add(&entry(path, id)).unwrap();
        }
        index.write_tree_to(&self.repository).unwrap()
    }

    fn commit_tree(&self, message: &str, parents: &[Oid], tree: Oid, time: i64) -> Oid {
        let who = Signature::new("Ada", "ada@example.com", &Time::new(time, 60)).unwrap();
        let tree = self.repository.find_tree(tree).unwrap();
        let parents: Vec<_> = parents.iter().map(|id| self.repository.find_commit(*id).unwrap()).collect();
        let parents: Vec<_> = parents.iter().collect();
        let id = self.repository.commit(None, &who, &who, message, &tree, &parents).unwrap();
        self.move_head(id);
        id
    }

    fn move_head(&self, id: Oid) {
        let name = self.repository.find_reference("HEAD").unwrap().symbolic_target().unwrap().unwrap().to_owned();
        self.repository.reference(&name, id, true, "test").unwrap();
    }

    fn all(&self) -> Vec<CommitRecord> {
        new_commits(self.path(), None, &|_| false, usize::MAX, &mut |_, _| ()).unwrap()
    }
}

fn entry(path: &str, id: Oid) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode: 0o100_644,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}

fn messages(records: &[CommitRecord]) -> Vec<&str> {
    records.iter().map(|record| record.message.as_str()).collect()
}

fn renamed(before: &str, after: &str) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

#[test]
fn paths_are_those_that_changed() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a.rs", "1"), ("src/deep/b.rs", "2"), ("src/c.rs", "3")]);
    let second = fixture.commit("second", &[first], &[("a.rs", "1"), ("src/deep/b.rs", "two"), ("src/c.rs", "3")]);
    fixture.commit("third", &[second], &[("new.rs", "4"), ("src/deep/b.rs", "two")]);
    let all = fixture.all();
    assert_eq!(messages(&all), ["first", "second", "third"]);
    assert_eq!(all[0].paths, ["a.rs", "src/c.rs", "src/deep/b.rs"]);
    assert_eq!(all[1].paths, ["src/deep/b.rs"]);
    assert_eq!(all[2].paths, ["new.rs"]);
    assert_eq!(all[1].parents, [bytes(first).unwrap()]);
    assert_eq!(all[1].id, bytes(second).unwrap());
    assert_eq!(all[1].time, 1_700_000_120);
    assert!(all.iter().all(|record| record.renames.is_empty()));
}

#[test]
fn renames_prefer_the_same_name() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a/init", ""), ("a/other", ""), ("a/x.rs", "x"), ("b.rs", "b")]);
    fixture.commit("move", &[first], &[("b.rs", "b"), ("c/init", ""), ("c/zero", ""), ("c/x.rs", "x")]);
    let moved = &fixture.all()[1];
    assert_eq!(moved.paths, ["c/init", "c/x.rs", "c/zero"]);
    let expected = [renamed("a/init", "c/init"), renamed("a/other", "c/zero"), renamed("a/x.rs", "c/x.rs")];
    assert_eq!(moved.renames, expected);
}

#[test]
fn a_copy_is_no_rename() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "x")]);
    fixture.commit("copy", &[first], &[("a", "x"), ("b", "x")]);
    assert!(fixture.all()[1].renames.is_empty());
}

#[test]
fn a_file_can_become_a_folder() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1"), ("a.rs", "2"), ("a0", "3")]);
    let second = fixture.commit("folder", &[first], &[("a/b", "1"), ("a.rs", "2"), ("a0", "3")]);
    fixture.commit("file", &[second], &[("a", "1"), ("a.rs", "2"), ("a0", "3")]);
    let all = fixture.all();
    assert_eq!((&all[1].paths[..], &all[1].renames[..]), (&["a/b".to_owned()][..], &[renamed("a", "a/b")][..]));
    assert_eq!((&all[2].paths[..], &all[2].renames[..]), (&["a".to_owned()][..], &[renamed("a/b", "a")][..]));
}

#[test]
fn merges_have_no_paths() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1")]);
    let left = fixture.commit("left", &[first], &[("a", "1"), ("l", "1")]);
    let right = fixture.commit("right", &[first], &[("a", "1"), ("r", "1")]);
    fixture.commit("merge", &[left, right], &[("a", "1"), ("l", "1"), ("r", "1")]);
    let all = fixture.all();
    assert_eq!(messages(&all), ["first", "left", "right", "merge"]);
    assert_eq!(all[2].paths, ["r"]);
    assert!(all[3].paths.is_empty());
    assert_eq!(all[3].parents, [bytes(left).unwrap(), bytes(right).unwrap()]);
}

#[test]
fn a_parent_comes_first_whatever_the_clocks_say() {
    let fixture = Fixture::new();
    let tree = fixture.tree(&[("a", "1")]);
    let first = fixture.commit_tree("first", &[], tree, 3_000);
    let second = fixture.commit_tree("second", &[first], tree, 1_000);
    fixture.commit_tree("third", &[second], tree, 2_000);
    assert_eq!(messages(&fixture.all()), ["first", "second", "third"]);
}

#[test]
fn only_new_commits_are_read() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1")]);
    let second = fixture.commit("second", &[first], &[("a", "2")]);
    fixture.commit("third", &[second], &[("a", "2"), ("b", "1")]);
    let after = |known: Oid| {
        let known = bytes(known).unwrap();
        new_commits(fixture.path(), None, &|id| *id == known, usize::MAX, &mut |_, _| ()).unwrap()
    };
    assert_eq!(messages(&after(first)), ["second", "third"]);
    assert_eq!(messages(&after(second)), ["third"]);
    assert_eq!(after(second)[0].paths, ["b"]);
}

#[test]
fn the_newest_are_kept_and_compared_with_those_left_out() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1")]);
    let second = fixture.commit("second", &[first], &[("a", "2"), ("b", "1")]);
    fixture.commit("third", &[second], &[("a", "2"), ("b", "2")]);
    let newest = |most| new_commits(fixture.path(), None, &|_| false, most, &mut |_, _| ()).unwrap();
    assert_eq!(messages(&newest(2)), ["second", "third"]);
    assert_eq!(newest(1)[0].paths, ["b"]);
    assert!(newest(0).is_empty());
}

#[test]
fn another_start_can_be_named() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1")]);
    fixture.commit("second", &[first], &[("a", "2")]);
    fixture.repository.reference("refs/heads/old", first, true, "test").unwrap();
    for name in ["old", &first.to_string()] {
        let found = new_commits(fixture.path(), Some(name), &|_| false, 9, &mut |_, _| ()).unwrap();
        assert_eq!(messages(&found), ["first"]);
    }
    let missing = new_commits(fixture.path(), Some("nowhere"), &|_| false, 9, &mut |_, _| ());
    assert!(missing.unwrap_err().to_string().ends_with("has no commit nowhere"));
}

#[test]
fn no_commits_yet() {
    let fixture = Fixture::new();
    assert!(fixture.all().is_empty());
    assert_eq!(head(fixture.path()), None);
}

#[test]
fn head_is_the_last_commit() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[]);
    assert_eq!(head(fixture.path()), bytes(first));
    fixture.repository.set_head_detached(first).unwrap();
    assert_eq!(head(fixture.path()), bytes(first));
    assert_eq!(head(&fixture.path().join("objects")), None);
}

#[test]
fn a_work_tree_opens_too() {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::init(folder.path()).unwrap();
    let who = Signature::now("Ada", "ada@example.com").unwrap();
    let tree = repository.treebuilder(None).unwrap().write().unwrap();
    let tree = repository.find_tree(tree).unwrap();
    repository.commit(Some("HEAD"), &who, &who, "only", &tree, &[]).unwrap();
    let found = new_commits(folder.path(), None, &|_| false, 9, &mut |_, _| ()).unwrap();
    assert_eq!(messages(&found), ["only"]);
}

#[test]
fn not_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let error = new_commits(folder.path(), None, &|_| false, 9, &mut |_, _| ()).unwrap_err();
    assert!(matches!(error, HistoryError::NotFound(_)));
    assert!(error.to_string().contains(&folder.path().display().to_string()));
}

#[test]
fn a_shallow_clone_ends_at_its_border() {
    let mut fixture = Fixture::new();
    let gone = "1111111111111111111111111111111111111111";
    let tree = fixture.tree(&[("a", "1")]);
    let text =
        format!("tree {tree}\nparent {gone}\nauthor A <a> 5 +0000\ncommitter A <a> 1700000000 +0000\n\nborder\n");
    let border = fixture.repository.odb().unwrap().write(ObjectType::Commit, text.as_bytes()).unwrap();
    std::fs::write(fixture.path().join("shallow"), format!("{border}\n")).unwrap();
    let repository = Repository::open(fixture.path()).unwrap();
    fixture.repository = repository;
    fixture.commit("next", &[border], &[("a", "2")]);
    let all = fixture.all();
    assert_eq!(messages(&all), ["border\n", "next"]);
    assert_eq!(all[0].parents, [[0x11; 20]]);
    assert!(all[0].paths.is_empty());
    assert_eq!(all[1].paths, ["a"]);
}

#[test]
fn a_missing_tree_is_passed_over() {
    let mut fixture = Fixture::new();
    let first = fixture.commit("first", &[], &[("a", "1"), ("b/c", "1")]);
    let second = fixture.commit("second", &[first], &[("a", "2"), ("b/c", "2"), ("b/d", "1")]);
    fixture.commit("third", &[second], &[("a", "3"), ("b/c", "2"), ("b/d", "1")]);
    let tree = fixture.repository.find_commit(first).unwrap().tree().unwrap();
    let folder = tree.get_name("b").unwrap().id().to_string();
    std::fs::remove_file(fixture.path().join("objects").join(&folder[..2]).join(&folder[2..])).unwrap();
    let paths: Vec<_> = fixture.all().into_iter().map(|record| record.paths).collect();
    assert_eq!(paths, [["a"], ["a"], ["a"]]);
}

#[test]
fn long_messages_are_cut_between_characters() {
    assert_eq!(beginning("ä".repeat(5_000).as_bytes()).len(), 4_000);
    assert_eq!(beginning(format!("x{}", "ä".repeat(5_000)).as_bytes()).len(), 3_999);
    assert_eq!(beginning(b"caf\xe9"), "caf\u{fffd}");
    assert_eq!(beginning(&[0xff; 9_000]), "\u{fffd}".repeat(1_333));
}

#[test]
fn odd_commits_still_read() {
    let tree = "tree 2222222222222222222222222222222222222222\n";
    let parse = |rest: &str| Commit::parse(Oid::ZERO_SHA1, format!("{tree}{rest}").as_bytes()).unwrap();
    assert_eq!(parse("").time, 0);
    assert_eq!(parse("committer A > <b>> 12 +0000\n\nm").time, 12);
    assert_eq!(parse("committer A <a> -5 +0000\n\nm").time, -5);
    let signed = parse("committer A <a> 7 +0000\ngpgsig x\n \n parent no\n\nsubject\n\nparent text");
    assert_eq!((signed.time, signed.message.as_str()), (7, "subject\n\nparent text"));
    assert!(signed.parents.is_empty());
}

/// Random edits over a small tree, in several runs and so on several threads.
#[test]
fn changes_are_those_of_libgit2() {
    let mut fixture = Fixture::new();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut parents = Vec::new();
    for number in 0..(2 * RUN + 100) {
        for _ in 0..=random(3) {
            let path = format!("{}/{}/{}", ["a", "a.b", "a0"][random(3) as usize], random(4), random(4));
            match random(4) {
                0 => drop(files.remove(&path)),
                _ => drop(files.insert(path, random(5).to_string())),
            }
        }
        let list: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        parents = vec![fixture.commit(&number.to_string(), &parents, &list)];
    }
    let mut progress = Vec::new();
    let mut note = |done, total| progress.push((done, total));
    let all = new_commits(fixture.path(), None, &|_| false, usize::MAX, &mut note).unwrap();
    assert_eq!(all.len(), 2 * RUN + 100);
    assert_eq!((progress[0], progress.last()), ((0, all.len()), Some(&(all.len(), all.len()))));
    for (number, record) in all.iter().enumerate() {
        assert_eq!(record.message, number.to_string());
        assert_eq!(record.paths, changed(&fixture.repository, record), "commit {number}");
    }
}

fn changed(repository: &Repository, record: &CommitRecord) -> Vec<String> {
    let commit = repository.find_commit(Oid::from_bytes(&record.id).unwrap()).unwrap();
    let before = commit.parent(0).ok().map(|parent| parent.tree().unwrap());
    let diff = repository.diff_tree_to_tree(before.as_ref(), Some(&commit.tree().unwrap()), None).unwrap();
    let kept = diff.deltas().filter(|delta| delta.status() != Delta::Deleted);
    kept.map(|delta| delta.new_file().path().unwrap().to_str().unwrap().to_owned()).collect()
}
