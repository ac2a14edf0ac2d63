use backstory_cause::digest::Reader;
use backstory_cause::locate::Place;
use backstory_cause::store::{CodeStore, Options};
use std::time::{Instant, SystemTime};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let mut store = CodeStore::open(args[1].as_ref()).unwrap();
    let commits = args.get(3).map_or(0, |n| n.parse().unwrap());
    let mut last = String::new();
    let report = store
        .update(args[0].as_ref(), &Options { commits, now: SystemTime::now() }, &mut |p| {
            let s = format!("{:?}", p.step);
            if s != last {
                println!("{s} at {:?}", start.elapsed());
                last = s;
            }
        })
        .unwrap();
    println!(
        "update {:?}: {} files, {} parsed, {} entities, {} edges, {} bytes, {} commits, {} problems, unchanged {}",
        start.elapsed(),
        report.files,
        report.parsed,
        report.entities,
        report.edges,
        report.bytes,
        report.commits,
        report.problems.len(),
        report.unchanged
    );
    let start = Instant::now();
    let code = store.load().unwrap();
    println!("load {:?}", start.elapsed());
    let mut reader = Reader::default();

    let root: &std::path::Path = args[0].as_ref();
    for _ in 0..2 {
        let start = Instant::now();
        let place = Place::new(&code.tree, &code.past);
        let found = backstory_cause::relevance::retrieve(
            &place,
            &mut reader,
            &args[2],
            &[],
            Some(root),
            &Default::default(),
            None,
        )
        .unwrap();
        println!("retrieve {:?} {} considered {}", start.elapsed(), found.strategy, found.total_considered);
        println!(
            "{:?}",
            found.analysis.entities.iter().map(|e| (&e.text, e.entities.len(), e.files.len())).collect::<Vec<_>>()
        );
        for d in &found.documents {
            println!(
                "{}. {:.2} {} {:?} {}",
                d.rank,
                d.relevance.score,
                d.document.kind.name(),
                d.document.place(),
                d.document.name
            );
            println!("      {}", d.explanation.as_deref().unwrap_or(""));
            for l in &d.relevance.chain {
                println!("        {} -{} {:.2}-> {}", l.from.label, l.relationship.name(), l.strength, l.to.label);
            }
            let i = &d.relevance.information;
            println!(
                "      mi {:.2} gain {:.2} cf {:.2} {:?} {:?}",
                i.mutual_information,
                i.information_gain,
                d.relevance.counterfactual.change_probability,
                d.relevance.counterfactual.change,
                d.relevance.confidence.value()
            );
        }
        println!("{:?}", found.completeness);
    }
}
