//! How are the measures of rows summed up, by kind?

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::asker::Failed;
use crate::stats::percentile;

/// One way to ask one set of questions.
pub struct Table {
    pub title: String,
    pub columns: &'static [Column],
    pub rows: Vec<AnswerRow>,
}

/// What is measured of each row, and how rows are summed up.
pub enum Column {
    Mean(&'static str),
    Median(&'static str),
}

pub struct AnswerRow {
    pub id: String,
    pub kind: String,
    /// A value for each column; none where the row has no such measure.
    pub values: Vec<Option<f64>>,
    pub failed: Failed,
}

/// Yes is one, no is nothing.
pub fn share(yes: bool) -> Option<f64> {
    Some(f64::from(u8::from(yes)))
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Column::Mean(name) | Column::Median(name) => name,
        }
    }

    fn sum_up(&self, values: &[f64]) -> Option<f64> {
        match self {
            _ if values.is_empty() => None,
            Column::Mean(_) => Some(values.iter().sum::<f64>() / values.len() as f64),
            Column::Median(_) => Some(percentile(values, 50)),
        }
    }

    fn show(&self, value: Option<f64>) -> String {
        match (self, value) {
            (_, None) => "–".to_owned(),
            (Column::Mean(_), Some(value)) => format!("{value:.2}"),
            (Column::Median(_), Some(value)) => format!("{value:.0}"),
        }
    }
}

impl Table {
    pub fn print(&self) {
        println!("{}: {} rows, {} failed", self.title, self.rows.len(), self.failed());
        let names: Vec<String> = self.columns.iter().map(|column| column.name().to_owned()).collect();
        println!("{}", line("", "n", &names));
        for (kind, rows) in self.groups() {
            let cell = |(at, column): (usize, &Column)| column.show(column.sum_up(&values_at(&rows, at)));
            let cells: Vec<String> = self.columns.iter().enumerate().map(cell).collect();
            println!("{}", line(&kind, &rows.len().to_string(), &cells));
        }
        println!();
    }

    pub fn json(&self) -> Value {
        let kinds: Map<String, Value> = self.groups().map(|(kind, rows)| (kind, self.summary(&rows))).collect();
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row(row)).collect();
        json!({ "asked": self.title, "failed": self.failed(), "kinds": kinds, "rows": rows })
    }

    fn failed(&self) -> usize {
        self.rows.iter().filter(|row| row.failed == Failed::Yes).count()
    }

    /// All rows, then those of each kind.
    fn groups(&self) -> impl Iterator<Item = (String, Vec<&AnswerRow>)> {
        let kinds: BTreeSet<&str> = self.rows.iter().map(|row| row.kind.as_str()).collect();
        let of = |kind: &str| self.rows.iter().filter(|row| row.kind == kind).collect();
        let by_kind: Vec<_> = kinds.into_iter().map(|kind| (kind.to_owned(), of(kind))).collect();
        std::iter::once(("all".to_owned(), self.rows.iter().collect())).chain(by_kind)
    }

    fn summary(&self, rows: &[&AnswerRow]) -> Value {
        let measure = |(at, column): (usize, &Column)| {
            (column.name().to_owned(), column.sum_up(&values_at(rows, at)).map_or(Value::Null, Value::from))
        };
        let mut summary: Map<String, Value> = self.columns.iter().enumerate().map(measure).collect();
        summary.insert("rows".to_owned(), rows.len().into());
        summary.into()
    }

    fn row(&self, row: &AnswerRow) -> Value {
        let measures: Map<String, Value> = self
            .columns
            .iter()
            .zip(&row.values)
            .map(|(column, value)| (column.name().to_owned(), json!(value)))
            .collect();
        json!({ "id": row.id, "kind": row.kind, "failed": row.failed == Failed::Yes, "measures": measures })
    }
}

fn values_at(rows: &[&AnswerRow], at: usize) -> Vec<f64> {
    rows.iter().filter_map(|row| row.values.get(at).copied().flatten()).collect()
}

fn line(kind: &str, count: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("  {kind:<14}{count:>4}{cells}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_summed_up_by_kind_without_those_that_have_no_measure() {
        let row =
            |kind: &str, value, failed| AnswerRow { id: "r".into(), kind: kind.into(), values: vec![value], failed };
        let rows = vec![
            row("cause", share(true), Failed::No),
            row("cause", None, Failed::Yes),
            row("fix", share(false), Failed::No),
        ];
        let json = Table { title: "search".into(), columns: &[Column::Mean("never")], rows }.json();
        assert_eq!(json["failed"], 1);
        assert_eq!(json["kinds"]["all"], json!({ "never": 0.5, "rows": 3 }));
        assert_eq!(json["kinds"]["cause"], json!({ "never": 1.0, "rows": 2 }));
    }
}
