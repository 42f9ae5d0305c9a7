import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';

/** `config`: values stand there without quotes. `prose`: text for people, where placeholders are usual. */
type FileKind = 'code' | 'config' | 'prose' | 'markup' | 'data';

export interface FileClassification {
  readonly path: string;
  readonly kind: FileKind;
  readonly isTest: boolean;
  readonly isBinary: boolean;
  /** The text was put together from parts: what stands before and after a value in it need not have stood there. */
  readonly isAssembled?: boolean;
}

const PROSE = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt|tex|org|pod)$/i;
const DATA = /\.(?:csv|tsv|json|jsonl|ndjson|json5|jsonc|geojson|ipynb|lock|sum|svg|map|parquet|avro|sql)$/i;
const MARKUP = /\.(?:html?|xhtml|xml|xsl|plist|vue|svelte|jsp|erb|hbs|ejs|cshtml|resx|config|csproj)$/i;
const CODE =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|rb|java|kts?|scala|groovy|cs|fs|vb|php|swift|m|mm|c|cc|cpp|cxx|h|hh|hpp|dart|ex|exs|erl|hs|clj|cljs|lua|pl|pm|r|jl|zig|nim|v|sol|css|scss|sass|less|graphql|proto|asm|s)$/i;

/**
 * What a file is, by its name. A name that says nothing is taken for configuration: that is where more is looked for, so that no
 * made-up ending helps to hide anything.
 */
export function classifyFile(path: string, binary = false): FileClassification {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const kind = CODE.test(name)
    ? 'code'
    : PROSE.test(name)
      ? 'prose'
      : MARKUP.test(name)
        ? 'markup'
        : DATA.test(name)
          ? 'data'
          : 'config';
  return { path, kind, isTest: isTestPath(path), isBinary: binary };
}
