//! A tiny model with random weights, against a straightforward implementation.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView, serialize};

use super::{EmbedError, Embedder, SentenceModel};

const PIECES: [&str; 9] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "##s", "down"];
const HIDDEN: usize = 8;
const HEADS: usize = 2;
const INNER: usize = 20;
const LAYERS: usize = 2;
const POSITIONS: usize = 16;

type Weights = HashMap<String, (Vec<usize>, Vec<f32>)>;

#[test]
fn agrees_with_a_naive_forward_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let weights = write_model(folder.path());
    let mut model = SentenceModel::open(folder.path(), |path| fs::read(path)).expect("a model");
    let vectors = model.embed(&["the cats sat down", "cat", "zzz", "", &"the cat ".repeat(20)]).expect("vectors");
    close(&vectors[0], &naive(&weights, &[2, 4, 5, 7, 6, 8, 3]));
    close(&vectors[1], &naive(&weights, &[2, 5, 3]));
    assert_eq!(vectors[2], [0.0; HIDDEN], "a text without a known word");
    assert_eq!(vectors[3], [0.0; HIDDEN], "an empty text");
    let cut: Vec<usize> = [2].into_iter().chain([4, 5].into_iter().cycle().take(POSITIONS - 2)).chain([3]).collect();
    close(&vectors[4], &naive(&weights, &cut));
}

#[test]
fn a_vector_does_not_depend_on_the_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    write_model(folder.path());
    let mut model = SentenceModel::open(folder.path(), |path| fs::read(path)).expect("a model");
    let texts: Vec<String> = (1..200).map(|at| ["the", "cat", "sat", "down"].repeat(at % 5 + 1).join(" ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts).expect("vectors");
    for (text, vector) in texts.iter().zip(together) {
        assert_eq!(model.embed(&[text]).expect("a vector"), [vector]);
    }
}

#[test]
fn the_vocabulary_may_come_from_the_tokenizer() {
    let folder = tempfile::tempdir().expect("a folder");
    write_model(folder.path());
    let expected = SentenceModel::open(folder.path(), |path| fs::read(path))
        .expect("a model")
        .embed(&["the cats"])
        .expect("vectors");
    fs::remove_file(folder.path().join("vocab.txt")).expect("it is there");
    let vocabulary: HashMap<&str, usize> = PIECES.iter().enumerate().map(|(id, piece)| (*piece, id)).collect();
    let tokenizer = serde_json::json!({ "model": { "vocab": vocabulary } });
    fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).expect("written");
    let mut model = SentenceModel::open(folder.path(), |path| fs::read(path)).expect("a model");
    assert_eq!(model.embed(&["the cats"]).expect("vectors"), expected);
}

#[test]
fn errors_name_the_file() {
    let check = |damage: &dyn Fn(&Path), file: &str, is_expected: fn(&EmbedError) -> bool| {
        let folder = tempfile::tempdir().expect("a folder");
        write_model(folder.path());
        damage(folder.path());
        let error = SentenceModel::open(folder.path(), |path| fs::read(path)).err().expect("an error");
        assert!(is_expected(&error) && error.to_string().contains(file), "{error}");
    };
    let remove = |file: &'static str| move |folder: &Path| fs::remove_file(folder.join(file)).expect("it is there");
    let write = |file: &'static str, text: &'static str| {
        move |folder: &Path| fs::write(folder.join(file), text).expect("written")
    };
    let unreadable: fn(&EmbedError) -> bool = |error| matches!(error, EmbedError::Unreadable { .. });
    let damaged: fn(&EmbedError) -> bool = |error| matches!(error, EmbedError::Damaged { .. });
    let unsupported: fn(&EmbedError) -> bool = |error| matches!(error, EmbedError::Unsupported { .. });
    check(&remove("config.json"), "config.json", unreadable);
    check(&remove("model.safetensors"), "model.safetensors", unreadable);
    check(&remove("vocab.txt"), "tokenizer.json", unreadable);
    check(&write("config.json", "{"), "config.json", damaged);
    check(&write("model.safetensors", "what"), "model.safetensors", damaged);
    check(&write("vocab.txt", "[UNK]\n[CLS]\n[SEP]"), "model.safetensors", damaged);
    check(&write("vocab.txt", "a\nb"), "vocab.txt", damaged);
    check(&write("config.json", CONFIG.replace("gelu", "relu").leak()), "config.json", unsupported);
    check(&write("config.json", CONFIG.replace("\"bert\"", "\"t5\"").leak()), "config.json", unsupported);
    check(&write("tokenizer_config.json", "{\"do_lower_case\": false}"), "tokenizer_config.json", unsupported);
}

const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 20, "max_position_embeddings": 16, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}"#;

fn write_model(folder: &Path) -> Weights {
    let weights = random_weights();
    let bytes: HashMap<&String, Vec<u8>> = weights
        .iter()
        .map(|(name, (_, values))| (name, values.iter().flat_map(|x| x.to_le_bytes()).collect()))
        .collect();
    let view = |(name, (shape, _)): (&String, &(Vec<usize>, Vec<f32>))| {
        (name.clone(), TensorView::new(Dtype::F32, shape.clone(), &bytes[name]).expect("a tensor"))
    };
    let file = serialize(weights.iter().map(view), None).expect("a file");
    fs::write(folder.join("model.safetensors"), file).expect("written");
    fs::write(folder.join("config.json"), CONFIG).expect("written");
    fs::write(folder.join("vocab.txt"), PIECES.join("\n")).expect("written");
    weights
}

fn random_weights() -> Weights {
    let mut weights = Weights::new();
    let mut state = 7u32;
    let mut add = |name: &str, shape: &[usize]| {
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((state >> 16) as u16) / 32768.0 - 1.0
        };
        let values = (0..shape.iter().product()).map(|_| random()).collect();
        weights.insert(name.to_owned(), (shape.to_vec(), values));
    };
    add("embeddings.word_embeddings.weight", &[PIECES.len(), HIDDEN]);
    add("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN]);
    add("embeddings.token_type_embeddings.weight", &[2, HIDDEN]);
    let mut both = |name: &str, shape: &[usize]| {
        add(&format!("{name}.weight"), shape);
        add(&format!("{name}.bias"), &shape[..1]);
    };
    both("embeddings.LayerNorm", &[HIDDEN]);
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
            both(&name(part), &[HIDDEN, HIDDEN]);
        }
        both(&name("attention.output.LayerNorm"), &[HIDDEN]);
        both(&name("intermediate.dense"), &[INNER, HIDDEN]);
        both(&name("output.dense"), &[HIDDEN, INNER]);
        both(&name("output.LayerNorm"), &[HIDDEN]);
    }
    weights
}

/// The same network written for clarity: one loop per formula.
fn naive(weights: &Weights, ids: &[usize]) -> Vec<f32> {
    let row = |name: &str, at: usize| &weights[name].1[at * HIDDEN..(at + 1) * HIDDEN];
    let plus = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f32>>();
    let linear = |x: &[f32], name: &str| {
        let (matrix, bias) = (&weights[&format!("{name}.weight")].1, &weights[&format!("{name}.bias")].1);
        matrix.chunks(x.len()).zip(bias).map(|(row, bias)| dot(row, x) + bias).collect::<Vec<f32>>()
    };
    let norm = |x: &[f32], name: &str| {
        let (scale, bias) = (&weights[&format!("{name}.weight")].1, &weights[&format!("{name}.bias")].1);
        let mean = x.iter().sum::<f32>() / x.len() as f32;
        let deviation = (x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / x.len() as f32).sqrt();
        x.iter()
            .zip(scale.iter().zip(bias))
            .map(|(x, (scale, bias))| (x - mean) / deviation * scale + bias)
            .collect::<Vec<f32>>()
    };
    let embedding = |(at, &id): (usize, &usize)| {
        let piece =
            plus(row("embeddings.word_embeddings.weight", id), row("embeddings.position_embeddings.weight", at));
        norm(&plus(&piece, row("embeddings.token_type_embeddings.weight", 0)), "embeddings.LayerNorm")
    };
    let mut states: Vec<Vec<f32>> = ids.iter().enumerate().map(embedding).collect();
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let of = |part: &str| states.iter().map(|x| linear(x, &name(part))).collect::<Vec<_>>();
        let mixed = attention(&of("attention.self.query"), &of("attention.self.key"), &of("attention.self.value"));
        for (state, mixed) in states.iter_mut().zip(&mixed) {
            let attended = linear(mixed, &name("attention.output.dense"));
            *state = norm(&plus(state, &attended), &name("attention.output.LayerNorm"));
            let inner: Vec<f32> = linear(state, &name("intermediate.dense")).into_iter().map(gelu).collect();
            *state = norm(&plus(state, &linear(&inner, &name("output.dense"))), &name("output.LayerNorm"));
        }
    }
    let sum = states.iter().fold(vec![0.0; HIDDEN], |sum, state| plus(&sum, state));
    let length = dot(&sum, &sum).sqrt();
    sum.iter().map(|x| x / length).collect()
}

fn attention(queries: &[Vec<f32>], keys: &[Vec<f32>], values: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let width = HIDDEN / HEADS;
    let mut out = vec![vec![0.0; HIDDEN]; queries.len()];
    for (out, query) in out.iter_mut().zip(queries) {
        for head in (0..HIDDEN).step_by(width) {
            let part = head..head + width;
            let scores: Vec<f32> = keys
                .iter()
                .map(|key| (dot(&query[part.clone()], &key[part.clone()]) / (width as f32).sqrt()).exp())
                .collect();
            for (score, value) in scores.iter().zip(values) {
                let weight = score / scores.iter().sum::<f32>();
                part.clone().for_each(|at| out[at] += weight * value[at]);
            }
        }
    }
    out
}

fn gelu(x: f32) -> f32 {
    // Simpson's rule for the normal distribution's integral from 0 to x.
    let steps = 200;
    let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let width = f64::from(x) / f64::from(steps);
    let weight = |at: i32| {
        if at == 0 || at == steps {
            1.0
        } else if at % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    let integral: f64 = (0..=steps).map(|at| weight(at) * density(f64::from(at) * width)).sum::<f64>() * width / 3.0;
    x * (0.5 + integral) as f32
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn close(a: &[f32], b: &[f32]) {
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?}\n{b:?}");
}
