//! Prints the parse result of one file: `cargo run --example dump -- path [tree]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let file = backstory_code::parse(&path, &bytes);
    for entity in &file.entities {
        println!(
            "{:>5}-{:<5} {:9} {} ({}) -> {}  {}",
            entity.first_line,
            entity.last_line,
            entity.kind.as_str(),
            entity.qualified,
            entity
                .params
                .iter()
                .map(|param| format!("{}:{}", param.name, param.type_text))
                .collect::<Vec<_>>()
                .join(", "),
            file.expr_text(entity.value),
            entity.owner.map_or(String::new(), |owner| format!("on {}", file.expr_text(owner))),
        );
    }
    for reference in &file.references {
        let receiver = file.receiver_text(reference).map_or(String::new(), |text| format!("{text} . "));
        let from = &file.entity(reference.from).qualified;
        println!(
            "{:>5} {:?} {receiver}{} /{} from {from}",
            reference.line,
            reference.kind,
            file.name(reference.name),
            reference.arguments
        );
    }
    for import in &file.imports {
        println!("{import:?}");
    }
    for raise in &file.raises {
        println!("{raise:?}");
    }
    println!("{} comments, {} identifiers, {:?}", file.comments.len(), file.identifiers.len(), file.problems);
}
