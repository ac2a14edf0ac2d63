//! Prints the results of the cases.

use backstory_cause::locate::{FILE_SIGNALS, FUNCTION_SIGNALS, Weights};

use super::calibration;
use super::case::BugCase;
use super::fit::{self, Counted, Folds, Lesson};
use super::metrics::{MEASURES, Quality};
use super::plain::BASELINES;
use super::rows::Set;
use super::shown::WAYS;
use super::table::{self, Line, RankingScores, line, repositories_of, short};
use crate::stats::verdict_at_least;

pub fn print(cases: &[BugCase]) {
    let repositories = repositories_of(cases.iter());
    let lessons: Vec<Lesson<'_>> = cases.iter().map(Lesson::of_files).collect();
    let of_all: Vec<&Lesson<'_>> = lessons.iter().collect();
    let start = fit::start(FILE_SIGNALS.len(), None);
    let files = Fitted {
        all: fit::learn(&of_all, &start),
        folds: Folds::learn(&repositories, &start, |_| of_all.clone()),
        shipped: Weights::default().files.to_vec(),
    };
    counts(cases);
    for set in Set::ALL {
        for subset in [Subset::All, Subset::NoStem] {
            file_tables(cases, set, subset, &files);
        }
    }
    println!("\n== weights of the file signals");
    files.print(&FILE_SIGNALS);
    file_ablation(cases, &repositories, &of_all);
    functions(cases, &repositories, &files);
    shown(cases);
    calibration::print(cases, |case| files.folds.of(&case.repo));
}

/// Weights by their training data.
struct Fitted {
    all: Vec<f32>,
    folds: Folds,
    shipped: Vec<f32>,
}

impl Fitted {
    fn print(&self, names: &[&str]) {
        let folds: String =
            self.folds.weights.iter().map(|fold| format!("{:>16}", format!("- {}", short(&fold.0)))).collect();
        println!("{:<20}{:>9}{:>9}{folds}", "", "shipped", "all rows");
        for (at, name) in names.iter().enumerate() {
            let folds: String = self.folds.weights.iter().map(|fold| format!("{:>16.2}", fold.1[at])).collect();
            println!("{name:<20}{:>9.2}{:>9.2}{folds}", self.shipped[at], self.all[at]);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subset {
    All,
    /// The text does not contain the stem of a gold file.
    NoStem,
}

fn chosen(cases: &[BugCase], set: Set, subset: Subset) -> Vec<&BugCase> {
    cases.iter().filter(|case| case.set == set && (subset == Subset::All || case.no_stem)).collect()
}

fn counts(cases: &[BugCase]) {
    println!("== rows");
    for set in Set::ALL {
        let of_set = chosen(cases, set, Subset::All);
        let wanted: usize = of_set.iter().map(|case| case.gold_count).sum();
        let candidates: usize = of_set.iter().map(|case| case.gold.len()).sum();
        println!(
            "{:<8} {:>4} rows, {wanted} gold files, {} of them no source for the index (never found)",
            set.name(),
            of_set.len(),
            wanted - candidates
        );
    }
}

fn file_tables(cases: &[BugCase], set: Set, subset: Subset, fitted: &Fitted) {
    let cases = chosen(cases, set, subset);
    if cases.is_empty() {
        return;
    }
    let which = if subset == Subset::All { "all" } else { "without a gold file's stem in the text" };
    println!("\n== files, {}, {which}", set.name());
    let mut lines: Vec<Line<'_>> = (0..BASELINES.len())
        .map(|at| line(BASELINES[at], move |case: &BugCase| case.baselines.get(at).copied().unwrap_or_default()))
        .collect();
    lines.push(line("ranked, weights of the others", |case| fit::files(case, fitted.folds.of(&case.repo))));
    lines.push(line("ranked, weights of all", |case| fit::files(case, &fitted.all)));
    lines.push(line("ranked, weights as shipped", |case| case.shown.files));
    let scores = table::print(&cases, &MEASURES, &lines);
    let (plain, ours) = scores.split_at(BASELINES.len());
    compare(plain, &ours[0], if subset == Subset::All { 0.20 } else { 0.15 });
    if let (Set::Issues, Subset::All) = (set, subset)
        && let Some((_, _, django)) = ours[0].repositories.iter().find(|entry| entry.0 == "django/django")
    {
        verdict_at_least("django, MAP@10", django.map, 0.72);
        verdict_at_least("django, Acc@1", django.first, 0.66);
    }
}

/// The ranking beside the best of plain similarity: for the mean, and for each repository with its own best.
fn compare(plain: &[RankingScores], ours: &RankingScores, reach: f64) {
    let Some(best) = (0..plain.len()).max_by(|a, b| plain[*a].mean.map.total_cmp(&plain[*b].mean.map)) else { return };
    let name = BASELINES[best].trim();
    println!("best of plain similarity in the mean: {name}");
    let gain = ours.mean.map / plain[best].mean.map - 1.0;
    verdict_at_least("MAP@10 over it, mean", gain, 0.15);
    verdict_at_least("  to reach", gain, reach);
    for (at, (name, _, quality)) in ours.repositories.iter().enumerate() {
        let rivals = (0..plain.len()).map(|one| (one, plain[one].repositories[at].2.map));
        let Some((rival, map)) = rivals.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let word = match quality.map - map {
            more if more > 1e-9 => "wins",
            less if less < -1e-9 => "LOSES",
            _ => "even",
        };
        let change = 100.0 * (quality.map / map - 1.0);
        println!("  {:<10} {word:<5} {change:>+6.1} %  over {} ({map:.3})", short(name), BASELINES[rival].trim());
    }
}

/// MAP@10 as the mean over repositories: issues, those without the stem; commits, those without.
fn means(cases: &[BugCase], measure: impl Fn(&BugCase) -> Quality) -> String {
    let mut line = String::new();
    for set in Set::ALL {
        for subset in [Subset::All, Subset::NoStem] {
            let scores = RankingScores::of(&chosen(cases, set, subset), &measure);
            line.push_str(&format!("{:>10.4}", scores.mean.map));
        }
    }
    line
}

fn file_ablation(cases: &[BugCase], repositories: &[String], lessons: &[&Lesson<'_>]) {
    println!("\n== file signals: MAP@10, mean over repositories, weights of the others, learnt again");
    println!("{:<26}{:>10}{:>10}{:>10}{:>10}", "", "issues", "no stem", "commits", "no stem");
    let all = FILE_SIGNALS.len();
    for without in std::iter::once(None).chain((1..all).map(Some)) {
        let folds = Folds::learn(repositories, &fit::start(all, without), |_| lessons.to_vec());
        let name = without.map_or("all".to_owned(), |at| format!("without {}", FILE_SIGNALS[at]));
        println!("{name:<26}{}", means(cases, |case| fit::files(case, folds.of(&case.repo))));
    }
    for (at, name) in FILE_SIGNALS.iter().enumerate() {
        let mut alone = vec![0.0; all];
        alone[at] = 1.0;
        println!("{:<26}{}", format!("{name} alone"), means(cases, |case| fit::files(case, &alone)));
    }
}

fn functions(cases: &[BugCase], repositories: &[String], files: &Fitted) {
    let with_gold: Vec<&BugCase> = cases.iter().filter(|case| !case.function_gold.is_empty()).collect();
    let gold: usize = with_gold.iter().map(|case| case.function_gold.len()).sum();
    let unmatched: usize = with_gold.iter().map(|case| case.unmatched.len()).sum();
    println!("\n== functions: {} rows name {gold} functions; {unmatched} are none that the index has", with_gold.len());
    let shipped = Weights::default();
    let names: Vec<&str> = FUNCTION_SIGNALS.into_iter().chain(["file"]).collect();
    let of_fold: Vec<(String, Vec<Lesson<'_>>)> = repositories
        .iter()
        .map(|name| {
            let weights = files.folds.of(name);
            (name.clone(), with_gold.iter().map(|case| Lesson::of_functions(case, weights)).collect())
        })
        .collect();
    let folds_without = |without: Option<usize>| {
        Folds::learn(repositories, &start_functions(names.len(), without), |name| {
            let lessons = of_fold.iter().find(|fold| fold.0 == name);
            lessons.map(|fold| fold.1.iter().collect()).unwrap_or_default()
        })
    };
    let lessons: Vec<Lesson<'_>> = with_gold.iter().map(|case| Lesson::of_functions(case, &files.all)).collect();
    let fitted = Fitted {
        all: fit::learn(&lessons.iter().collect::<Vec<_>>(), &start_functions(names.len(), None)),
        folds: folds_without(None),
        shipped: shipped.functions.into_iter().chain([shipped.file_of_function]).collect(),
    };
    fitted.print(&names);
    for set in Set::ALL {
        function_tables(&with_gold, set, files, &fitted);
    }
    println!("\n== function signals: MAP@10, mean over repositories, weights of the others, learnt again");
    println!("{:<26}{:>10}{:>10}{:>10}{:>10}", "", "issues", "no stem", "commits", "no stem");
    for without in std::iter::once(None).chain((1..names.len()).map(Some)) {
        let folds = folds_without(without);
        let name = without.map_or("all".to_owned(), |at| format!("without {}", names[at]));
        println!("{name:<26}{}", function_means(&with_gold, files, &folds));
    }
}

/// The words and the file both have the full weight.
fn start_functions(count: usize, without: Option<usize>) -> Vec<f32> {
    let mut start = fit::start(count, None);
    start[count - 1] = 1.0;
    if let Some(without) = without {
        start[without] = 0.0;
    }
    start
}

fn function_means(cases: &[&BugCase], files: &Fitted, folds: &Folds) -> String {
    let mut line = String::new();
    for set in Set::ALL {
        for subset in [Subset::All, Subset::NoStem] {
            let chosen: Vec<&BugCase> = cases
                .iter()
                .copied()
                .filter(|case| case.set == set && (subset == Subset::All || case.no_stem))
                .collect();
            let measure =
                |case: &BugCase| fit::functions(case, files.folds.of(&case.repo), folds.of(&case.repo), Counted::All);
            line.push_str(&format!("{:>10.4}", RankingScores::of(&chosen, measure).mean.map));
        }
    }
    line
}

fn function_tables(cases: &[&BugCase], set: Set, files: &Fitted, fitted: &Fitted) {
    let of_set: Vec<&BugCase> = cases.iter().copied().filter(|case| case.set == set).collect();
    let with_match: Vec<&BugCase> = of_set.iter().copied().filter(|case| case.matched() > 0).collect();
    if of_set.is_empty() {
        return;
    }
    let by_folds = |counted: Counted| {
        move |case: &BugCase| fit::functions(case, files.folds.of(&case.repo), fitted.folds.of(&case.repo), counted)
    };
    println!("\n== functions, {}, all that the fix names", set.name());
    let mut lines: Vec<Line<'_>> = (0..FUNCTION_SIGNALS.len().min(2))
        .map(|at| {
            let of = move |case: &BugCase| case.function_baselines.get(at).copied().unwrap_or_default();
            line(format!("{} alone", FUNCTION_SIGNALS[at]), of)
        })
        .collect();
    lines.push(line("ranked, weights of the others", by_folds(Counted::All)));
    lines.push(line("ranked, weights of all", |case| fit::functions(case, &files.all, &fitted.all, Counted::All)));
    lines.push(line("ranked, weights as shipped", |case| case.shown.functions));
    let scores = table::print(&of_set, &MEASURES, &lines);
    if let Some(ours) = scores.get(scores.len() - 3) {
        verdict_at_least("functions, Acc@5, all rows", ours.rows.five, 0.72);
        verdict_at_least("functions, MAP@10, all rows", ours.rows.map, 0.52);
    }
    println!("\n== functions, {}, only those that the index has", set.name());
    let scores = table::print(
        &with_match,
        &MEASURES,
        &[
            line("ranked, weights of the others", by_folds(Counted::Matched)),
            line("ranked, weights as shipped", |case| {
                fit::functions(case, &files.shipped, &fitted.shipped, Counted::Matched)
            }),
        ],
    );
    if let Some(ours) = scores.first() {
        verdict_at_least("functions, Acc@5, all rows", ours.rows.five, 0.72);
        verdict_at_least("functions, MAP@10, all rows", ours.rows.map, 0.52);
    }
}

/// The documents as shown, beside the lists they are made from.
fn shown(cases: &[BugCase]) {
    for set in Set::ALL {
        let of_set = chosen(cases, set, Subset::All);
        if of_set.is_empty() {
            continue;
        }
        println!("\n== what is shown, {}: files", set.name());
        let way = |at: usize, of: fn(&super::shown::Documents) -> Quality| {
            line(format!("documents, {}", WAYS[at]), move |case: &BugCase| {
                case.shown.ways.get(at).map(of).unwrap_or_default()
            })
        };
        let mut lines = vec![line("the list of files", |case: &BugCase| case.shown.files)];
        lines.extend((0..WAYS.len()).map(|at| way(at, |documents| documents.files)));
        table::print(&of_set, &MEASURES, &lines);
        for (at, name) in WAYS.iter().enumerate() {
            let counts = of_set.iter().filter_map(|case| case.shown.ways.get(at)).map(|documents| documents.count);
            println!("  documents shown, {name}: {:.1}", counts.sum::<usize>() as f64 / of_set.len() as f64);
        }
        println!("\n== what is shown, {}: functions", set.name());
        let with_gold: Vec<&BugCase> = of_set.into_iter().filter(|case| !case.function_gold.is_empty()).collect();
        let mut lines = vec![line("the list of functions", |case: &BugCase| case.shown.functions)];
        lines.extend((0..WAYS.len()).map(|at| way(at, |documents| documents.functions)));
        table::print(&with_gold, &MEASURES, &lines);
        fates(&with_gold);
    }
}

/// Why documents lack functions that the list of functions has.
fn fates(cases: &[&BugCase]) {
    println!("functions of the fix among the first ten of the list, by what became of them as documents");
    let mut names: Vec<&String> = cases.iter().flat_map(|case| &case.shown.fates).collect();
    names.sort();
    names.dedup();
    for name in names {
        let count = |repository: &str| {
            let of_repository = cases.iter().filter(|case| case.repo == repository);
            of_repository.flat_map(|case| &case.shown.fates).filter(|fate| *fate == name).count()
        };
        let repositories = repositories_of(cases.iter().copied());
        let columns: String = repositories.iter().map(|repository| format!("{:>16}", count(repository))).collect();
        println!("  {name:<32}{columns}");
    }
}
