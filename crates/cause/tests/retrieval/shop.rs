//! A small shop, with one commit or several.

use std::path::Path;
use std::time::{Duration, SystemTime};

use backstory_cause::digest::Reader;
use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{
    CausalRetrieval, CodeLocation, MemoryLookup, RankedDocument, Remembered, RetrievalOptions, retrieve,
};
use backstory_cause::store::{Code, CodeStore, UpdateOptions, UpdateReport};
use git2::{Repository, Signature, Time};

pub const FILES: &[(&str, &str)] = &[
    (
        "src/cart.ts",
        "import { Item } from './types/item';\n\
         import { discountFor } from './discount';\n\
         \n\
         /** Adds up what is in the cart. */\n\
         export function calculateTotal(items: Item[]): number {\n\
         \x20 let total = 0;\n\
         \x20 for (const item of items) {\n\
         \x20   total += item.price * item.quantity;\n\
         \x20 }\n\
         \x20 return total - discountFor(total);\n\
         }\n\
         \n\
         export function countItems(items: Item[]): number {\n\
         \x20 return items.length;\n\
         }\n",
    ),
    (
        "src/types/item.ts",
        "export interface Item {\n  name: string;\n  price: string | number;\n  quantity: number;\n}\n",
    ),
    (
        "src/discount.ts",
        "export const RATE = 0.1;\n\
         \n\
         /** A tenth off above one hundred. */\n\
         export function discountFor(total: number): number {\n\
         \x20 return total > 100 ? total * RATE : 0;\n\
         }\n",
    ),
    (
        "src/form.ts",
        "import { submitAPI } from './api';\n\
         \n\
         /** The user clicks Submit. */\n\
         export function onClick(form: Form) {\n\
         \x20 if (validateForm(form)) {\n\
         \x20   form.done = true;\n\
         \x20 }\n\
         }\n\
         \n\
         export function validateForm(form: Form) {\n\
         \x20 if (!form.email) {\n\
         \x20   throw new Error('an e-mail address is needed to check out');\n\
         \x20 }\n\
         \x20 return submitAPI(form);\n\
         }\n",
    ),
    (
        "src/api.ts",
        "/** Sends the order to the server. */\n\
         export function submitAPI(form: Form) {\n\
         \x20 return fetch('/orders', { method: 'POST', body: JSON.stringify(form) });\n\
         }\n",
    ),
    (
        "tests/cart.test.ts",
        "import { calculateTotal } from '../src/cart';\n\
         \n\
         test('calculateTotal adds prices', () => {\n\
         \x20 expect(calculateTotal([{ name: 'a', price: 2, quantity: 3 }])).toBe(6);\n\
         });\n",
    ),
    (
        "docs/api.md",
        "# API\n\n## calculateTotal\n\n`calculateTotal` returns the total of the cart. calculateTotal never returns NaN, \
         calculateTotal always returns a number.\n",
    ),
    ("CHANGELOG.md", "# Changes\n\n- calculateTotal: return a number instead of NaN for an empty cart\n"),
];

/// The shop in a folder, and its index in another.
pub struct Shop {
    pub root: tempfile::TempDir,
    pub index: tempfile::TempDir,
    repository: Repository,
    seconds: i64,
}

impl Shop {
    pub fn new() -> Self {
        let (root, index) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let repository = Repository::init(root.path()).unwrap();
        let mut shop = Self { root, index, repository, seconds: 1_750_000_000 };
        for (path, text) in FILES {
            shop.write(path, text);
        }
        shop.commit("Open the shop");
        shop
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let file = self.root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub fn commit(&mut self, message: &str) {
        self.seconds += 86_400;
        let author = Signature::new("A", "a@shop.example", &Time::new(self.seconds, 0)).unwrap();
        let mut index = self.repository.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["*"], None).unwrap();
        let tree = self.repository.find_tree(index.write_tree().unwrap()).unwrap();
        let parent = self.repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.repository.commit(Some("HEAD"), &author, &author, message, &tree, &parents).unwrap();
    }

    pub fn update(&self) -> (Code, UpdateReport) {
        let mut store = CodeStore::open(self.index.path()).unwrap();
        // An hour later, so that no file counts as recently written.
        let options = UpdateOptions {
            commits: Some(1000),
            most_files: usize::MAX,
            now: SystemTime::now() + Duration::from_secs(3600),
        };
        let report = store.update(self.path(), &options, &mut |_| {}).unwrap();
        (store.load().unwrap(), report)
    }

    pub fn ask(&self, question: &str) -> CausalRetrieval {
        self.ask_with(question, &[], &RetrievalOptions::default())
    }

    pub fn ask_with(&self, question: &str, memory: &[Remembered], options: &RetrievalOptions) -> CausalRetrieval {
        let (code, _) = self.update();
        let place = Codebase::new(&code.tree, &code.past);
        let mut memory = Said(memory.to_vec());
        retrieve(&place, &mut Reader::default(), question, &mut memory, Some(self.path()), options, None).unwrap()
    }
}

/// A memory that returns these for every question; those about a place only when asked about that place.
struct Said(Vec<Remembered>);

impl MemoryLookup for Said {
    fn of_question(&mut self) -> Vec<Remembered> {
        self.0.iter().filter(|one| one.about.is_none()).cloned().collect()
    }

    fn of_locations(&mut self, places: &[CodeLocation]) -> Vec<Remembered> {
        let is_asked = |one: &&Remembered| places.iter().any(|place| one.about.as_ref() == Some(&place.id));
        self.0.iter().filter(is_asked).cloned().collect()
    }
}

/// The rank of the first document whose id contains `id`.
pub fn rank_of(found: &CausalRetrieval, id: &str) -> Option<usize> {
    document(found, id).map(|ranked| ranked.rank)
}

pub fn document<'a>(found: &'a CausalRetrieval, id: &str) -> Option<&'a RankedDocument> {
    found.documents.iter().find(|ranked| ranked.document.id.contains(id))
}
