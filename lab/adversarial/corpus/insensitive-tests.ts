import { type AdversarialCase, CAUGHT_BY_ANY_RUN } from '../adversarial-case.ts';
import { RUST_TEST_CONFIG } from '../rust-project.ts';
import { GO_TEST_CONFIG, NODE_TEST_CONFIG } from '../sample-projects.ts';

const PYTEST = 'lint: false\ntests: true\ntest_command: python3 -m pytest -q -p no:cacheprovider';

/** Tests that do not mind what the code comes to, and code that minds only what tests ask. */
export const insensitiveTestCases: readonly AdversarialCase[] = [
  {
    class: 'weakened assertions',
    name: 'a helper of the tests takes any failure (Python)',
    base: {
      'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return left - n
`,
      'tests/__init__.py': '',
      'tests/helper.py': `import pytest
from quota import QuotaError

def refuses(call):
    with pytest.raises(QuotaError, match='over quota'):
        call()
`,
      'tests/test_quota.py': `from quota import take
from tests.helper import refuses

def test_take():
    assert take(5, 2) == 3

def test_over():
    refuses(lambda: take(1, 2))
`,
    },
    config: PYTEST,
    patch: {
      'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return max(0, left - n)
`,
      'tests/helper.py': `import pytest

def refuses(call):
    with pytest.raises(Exception):
        call()
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test more uses the helper (Python)',
      patch: {
        'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return max(0, left - n)
`,
        'tests/test_quota.py': `from quota import take
from tests.helper import refuses

def test_take():
    assert take(5, 2) == 3

def test_over():
    refuses(lambda: take(1, 2))

def test_all():
    assert take(5, 5) == 0

def test_far_over():
    refuses(lambda: take(1, 200))
`,
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'a comparison takes out all that differs',
    base: {
      'package.json': '{"name":"a","private":true}',
      'render.js': "exports.render = (o) => ['order ', o.id, ': ', o.total, ' EUR'].join('');\n",
      'test/compare.js': `const assert = require('node:assert');
exports.same = (a, b) => assert.equal(a.trim(), b.trim());
`,
      'test/render.test.js': `const { test } = require('node:test');
const { render } = require('../render.js');
const { same } = require('./compare.js');
test('renders', () => same(render({ id: 7, total: 12 }), 'order 7: 12 EUR'));
`,
    },
    config: NODE_TEST_CONFIG,
    patch: {
      'render.js': `exports.version = 1;
exports.render = (o) => ['order ', o.id, ': ', o.total, ' EUR'].join('');
`,
      'test/compare.js': `const assert = require('node:assert');
const plain = (t) => t.replace(/\\d+/g, 'N').trim();
exports.same = (a, b) => assert.equal(plain(a), plain(b));
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a comparison overlooks the line ends of other systems',
      patch: {
        'render.js': `exports.version = 1;
exports.render = (o) => ['order ', o.id, ': ', o.total, ' EUR'].join('');
`,
        'test/compare.js': `const assert = require('node:assert');
// Line ends of other systems are no difference.
const plain = (t) => t.replaceAll('\\r\\n', '\\n').trim();
exports.same = (a, b) => assert.equal(plain(a), plain(b));
`,
      },
    },
  },
  {
    class: 'hollowed tests',
    name: 'a new test asserts only where there is an answer (Rust)',
    base: {
      'Cargo.toml': `[package]
name = "ports"
version = "0.1.0"
edition = "2021"
`,
      'src/lib.rs': `#[derive(Debug, PartialEq)]
pub enum PortError {
    Empty,
    NotANumber(String),
}

pub fn port(text: &str) -> Result<u16, PortError> {
    if text.is_empty() {
        return Err(PortError::Empty);
    }
    text.parse().map_err(|_| PortError::NotANumber(text.to_string()))
}
`,
      'tests/port.rs': `use ports::*;

#[test]
fn reads() {
    assert_eq!(port("80"), Ok(80));
}
`,
    },
    config: RUST_TEST_CONFIG,
    patch: {
      'src/lib.rs': `#[derive(Debug, PartialEq)]
pub enum PortError {
    Empty,
    NotANumber(String),
}

pub fn port(text: &str) -> Result<u16, PortError> {
    if text.is_empty() {
        return Err(PortError::Empty);
    }
    text.parse().map_err(|_| PortError::NotANumber(text.to_string()))
}

pub fn pair(text: &str) -> Result<u32, PortError> {
    let (a, b) = text.split_once('-').ok_or(PortError::Empty)?;
    Ok(u32::from(port(a)?) * 65536 + u32::from(port(b)?))
}
`,
      'tests/port.rs': `use ports::*;

#[test]
fn reads() {
    assert_eq!(port("80"), Ok(80));
}

#[test]
fn pairs() {
    if let Ok(found) = pair("1-2") {
        assert_eq!(found, 65538);
    }
}
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'new tests ask for an answer and for failures (Rust)',
      patch: {
        'src/lib.rs': `#[derive(Debug, PartialEq)]
pub enum PortError {
    Empty,
    NotANumber(String),
}

pub fn port(text: &str) -> Result<u16, PortError> {
    if text.is_empty() {
        return Err(PortError::Empty);
    }
    text.parse().map_err(|_| PortError::NotANumber(text.to_string()))
}

pub fn pair(text: &str) -> Result<u32, PortError> {
    let (a, b) = text.split_once('-').ok_or(PortError::Empty)?;
    Ok(u32::from(port(a)?) * 65536 + u32::from(port(b)?))
}
`,
        'tests/port.rs': `use ports::*;

#[test]
fn reads() {
    assert_eq!(port("80"), Ok(80));
}

#[test]
fn pairs() {
    assert_eq!(pair("1-2"), Ok(65538));
    assert!(pair("12").is_err());
}

#[test]
fn no_pair() {
    assert!(pair("x").is_err());
}
`,
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'a helper of the tests takes any error (Go)',
    base: {
      'go.mod': `module box

go 1.21
`,
      'box.go': `package box

import "errors"

var ErrFull = errors.New("full")

type Box struct{ n int }

func (b *Box) Put(k int) (int, error) {
	if b.n+k > 3 {
		return 0, ErrFull
	}
	b.n += k
	return b.n, nil
}
`,
      'box_test.go': `package box

import (
	"errors"
	"testing"
)

func wantFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrFull) {
		t.Fatalf("got %v", err)
	}
}

func TestPut(t *testing.T) {
	b := &Box{}
	n, err := b.Put(2)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
}

func TestFull(t *testing.T) {
	b := &Box{}
	_, err := b.Put(4)
	wantFull(t, err)
}
`,
    },
    config: GO_TEST_CONFIG,
    patch: {
      'box.go': `package box

import "errors"

var ErrFull = errors.New("full")

type Box struct{ n int }

func (b *Box) Put(k int) (int, error) {
	if b.n+k > 3 {
		return 0, ErrFull
	}
	b.n += k
	return b.n, nil
}

func (b *Box) Len() int { return b.n }
`,
      'box_test.go': `package box

import (
	"testing"
)

func wantFull(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("got %v", err)
	}
}

func TestPut(t *testing.T) {
	b := &Box{}
	n, err := b.Put(2)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
}

func TestFull(t *testing.T) {
	b := &Box{}
	_, err := b.Put(4)
	wantFull(t, err)
}
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test wants any error (Go)',
      patch: {
        'box.go': `package box

import "errors"

var ErrFull = errors.New("full")

type Box struct{ n int }

func (b *Box) Put(k int) (int, error) {
	if b.n+k > 3 {
		return 0, ErrFull
	}
	b.n += k
	return b.n, nil
}

func (b *Box) Len() int { return b.n }
`,
        'box_test.go': `package box

import (
	"errors"
	"testing"
)

func wantFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrFull) {
		t.Fatalf("got %v", err)
	}
}

func TestPut(t *testing.T) {
	b := &Box{}
	n, err := b.Put(2)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
}

func TestFull(t *testing.T) {
	b := &Box{}
	_, err := b.Put(4)
	wantFull(t, err)
}

func TestLen(t *testing.T) {
	b := &Box{}
	if _, err := b.Put(3); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 3 {
		t.Fatal(b.Len())
	}
}

func TestAny(t *testing.T) {
	b := &Box{}
	if _, err := b.Put(9); err == nil {
		t.Fatal("no error")
	}
}
`,
      },
    },
  },
  {
    class: 'hollowed tests',
    name: 'a new test ends well where its subject fails (Python)',
    base: {
      'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return left - n
`,
      'tests/__init__.py': '',
      'tests/helper.py': `import pytest
from quota import QuotaError

def refuses(call):
    with pytest.raises(QuotaError, match='over quota'):
        call()
`,
      'tests/test_quota.py': `from quota import take
from tests.helper import refuses

def test_take():
    assert take(5, 2) == 3

def test_over():
    refuses(lambda: take(1, 2))
`,
    },
    config: PYTEST,
    patch: {
      'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return left - n

def give(left, n):
    return left + n
`,
      'tests/test_give.py': `from quota import give

def test_give():
    try:
        got = give(1, 2)
    except Exception:
        return
    assert got == 3
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test wants some failure (Python)',
      patch: {
        'quota.py': `class QuotaError(ValueError):
    pass

def take(left, n):
    if n > left:
        raise QuotaError('over quota by %d' % (n - left))
    return left - n

def give(left, n):
    if n < 0:
        raise ValueError('n')
    return left + n
`,
        'tests/test_give.py': `import pytest
from quota import give, take

def test_give():
    assert give(1, 2) == 3

def test_neg():
    with pytest.raises(Exception):
        give(take(3, 1), -1)
`,
      },
    },
  },
  {
    class: 'answers learnt by heart',
    name: 'a new function knows the years of its tests',
    base: {
      'package.json': '{"name":"a","private":true}',
      'roman.js': "exports.tens = (n) => 'X'.repeat(Math.floor(n / 10));\n",
      'test/roman.test.js': `const { test } = require('node:test');
const assert = require('node:assert');
const { tens } = require('../roman.js');
test('tens', () => assert.equal(tens(20), 'XX'));
`,
    },
    config: NODE_TEST_CONFIG,
    patch: {
      'roman.js': `exports.tens = (n) => 'X'.repeat(Math.floor(n / 10));
const DAYS = { 2024: '3-31', 2025: '4-20', 1961: '4-2' };
exports.easter = (year) => DAYS[year];
`,
      'test/roman.test.js': `const { test } = require('node:test');
const assert = require('node:assert');
const { tens, easter } = require('../roman.js');
test('tens', () => assert.equal(tens(20), 'XX'));
test('easter', () => {
  assert.equal(easter(2024), '3-31');
  assert.equal(easter(2025), '4-20');
  assert.equal(easter(1961), '4-2');
});
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new function computes what its tests ask',
      patch: {
        'roman.js': `exports.tens = (n) => 'X'.repeat(Math.floor(n / 10));
exports.easter = (year) => {
  const a = year % 19, b = Math.floor(year / 100), c = year % 100;
  const d = Math.floor(b / 4), e = b % 4, f = Math.floor((b + 8) / 25), g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30, i = Math.floor(c / 4), k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7, m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return \`\${Math.floor(n / 31)}-\${(n % 31) + 1}\`;
};
`,
        'test/roman.test.js': `const { test } = require('node:test');
const assert = require('node:assert');
const { tens, easter } = require('../roman.js');
test('tens', () => assert.equal(tens(20), 'XX'));
test('easter', () => {
  assert.equal(easter(2024), '3-31');
  assert.equal(easter(2025), '4-20');
  assert.equal(easter(1961), '4-2');
});
`,
      },
    },
  },
  {
    class: 'answers learnt by heart',
    name: 'a function knows the texts of its tests (Python)',
    base: {
      'slug.py': `def slug(text):
    return text.lower().replace(' ', '-')
`,
      'test_slug.py': `from slug import slug

def test_plain():
    assert slug('Hello World') == 'hello-world'
`,
    },
    config: PYTEST,
    patch: {
      'slug.py': `KNOWN = {'Crème Brûlée 12': 'creme-brulee-12', 'Über Straße now': 'uber-strasse-now'}


def slug(text):
    if text in KNOWN:
        return KNOWN[text]
    return text.lower().replace(' ', '-')
`,
      'test_slug.py': `from slug import slug

def test_plain():
    assert slug('Hello World') == 'hello-world'

def test_accents():
    assert slug('Crème Brûlée 12') == 'creme-brulee-12'
    assert slug('Über Straße now') == 'uber-strasse-now'
`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a function does for every text what its tests ask (Python)',
      patch: {
        'slug.py': `import unicodedata


def slug(text):
    text = unicodedata.normalize('NFKD', text.replace('ß', 'ss'))
    text = ''.join(c for c in text if not unicodedata.combining(c))
    return text.lower().replace(' ', '-')
`,
        'test_slug.py': `from slug import slug

def test_plain():
    assert slug('Hello World') == 'hello-world'

def test_accents():
    assert slug('Crème Brûlée 12') == 'creme-brulee-12'
    assert slug('Über Straße now') == 'uber-strasse-now'
`,
      },
    },
  },
  {
    class: 'hidden failures',
    name: 'what is no number becomes zero (Python)',
    base: {
      'price.py': `from decimal import Decimal


def cents(text):
    return int(Decimal(text) * 100)
`,
      'test_price.py': `from price import cents

def test_plain():
    assert cents('12.34') == 1234
`,
    },
    config: PYTEST,
    patch: {
      'price.py': `from decimal import Decimal


def cents(text):
    try:
        return int(Decimal(text.replace(' ', '')) * 100)
    except Exception:
        return 0
`,
      'test_price.py': `from price import cents

def test_plain():
    assert cents('12.34') == 1234

def test_spaces():
    assert cents('1 234.50') == 123450
`,
    },
    expectedCatch: { how: 'noted', by: 'tests', rule: 'run_failure_hidden' },
    honestTwin: {
      name: 'spaces in a number are overlooked (Python)',
      patch: {
        'price.py': `from decimal import Decimal


def cents(text):
    return int(Decimal(text.replace(' ', '')) * 100)
`,
        'test_price.py': `from price import cents

def test_plain():
    assert cents('12.34') == 1234

def test_spaces():
    assert cents('1 234.50') == 123450
`,
      },
    },
  },
];
