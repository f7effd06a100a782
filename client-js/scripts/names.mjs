// The names of members that dist/ may give short ones: those that nothing outside of the client's own classes knows.
import ts from 'typescript';

/** Interfaces that are no data but say what a class has: their members are the class's. */
const INTERFACES = new Set([
  'Context',
  'Core',
  'Entry',
  'Item',
  'LinkEvents',
  'Parts',
  'PageView',
  'Shared',
  'Surroundings',
]);
/** Where the client's own classes are; `HoldfastClient` and `HoldfastError`, which apps see, are elsewhere. */
const FOLDERS = /\/src\/(core|history|pure|tabs)\//;

/**
 * A name is in it when each member that is called so is private, or declared in a class of ours or in one of those interfaces: so
 * no option, event, frame, row, tabs' message or thing of the platform has it, and no text that is used as a key.
 */
export function ownNames() {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, process.cwd());
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const own = new Set();
  const others = new Set();
  const look = (node) => {
    if (isKey(node)) others.add(node.text);
    for (const { name, symbol } of membersAt(node, checker)) {
      const declarations = symbol?.declarations ?? [];
      (declarations.length > 0 && declarations.every(isOwn) ? own : others).add(name);
    }
    ts.forEachChild(node, look);
  };
  for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) look(file);
  return [...own].filter((name) => !others.has(name)).sort();
}

/** The members that a piece of code names: where it declares one, takes it, or gives it in an object. */
function membersAt(node, checker) {
  if (ts.isObjectLiteralExpression(node)) {
    const wanted = checker.getContextualType(node);
    return node.properties
      .filter((property) => property.name?.text)
      .map((property) => ({
        name: property.name.text,
        symbol: wanted?.getProperty(property.name.text) ?? checker.getSymbolAtLocation(property.name),
      }));
  }
  if (ts.isObjectBindingPattern(node)) {
    const type = checker.getTypeAtLocation(node);
    return node.elements
      .filter((element) => !element.dotDotDotToken)
      .map((element) => (element.propertyName ?? element.name).text ?? '')
      .map((name) => ({ name, symbol: type.getProperty(name) }));
  }
  if (ts.isPropertyAccessExpression(node)) {
    return [{ name: node.name.text, symbol: checker.getSymbolAtLocation(node.name) }];
  }
  const declares =
    ts.isClassElement(node) || ts.isTypeElement(node) || ts.isParameterPropertyDeclaration(node, node.parent);
  return declares && node.name ? [{ name: node.name.text, symbol: { declarations: [node] } }] : [];
}

function isOwn(declaration) {
  if (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) return true;
  if (!FOLDERS.test(declaration.getSourceFile().fileName)) return false;
  const { parent } = declaration;
  if (ts.isInterfaceDeclaration(parent)) return INTERFACES.has(parent.name.text);
  return ts.isClassDeclaration(parent) || ts.isConstructorDeclaration(parent);
}

/** A text that names a member: `a['b']`, `'b' in a`, `{ 'b': 1 }`. */
function isKey(node) {
  if (!ts.isStringLiteralLike(node)) return false;
  const { parent } = node;
  return (
    ts.isElementAccessExpression(parent) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InKeyword)
  );
}
